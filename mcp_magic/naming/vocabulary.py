"""The words that tools are named with: one of them is meant, not mistyped."""

from __future__ import annotations

from typing import Final

__all__ = ["KNOWN", "NEGATIONS", "READING"]

READING: Final = frozenset(
    ("count", "describe", "find", "get", "list", "read", "search", "show")
)
"""First words that promise to change nothing (DESIGN §1.2)."""

NEGATIONS: Final = ("un", "dis", "de", "re", "non", "in", "im", "pre", "post", "anti")
"""Beginnings that turn a word into another: lock, unlock; approve, disapprove."""

_VERBS = """
abort accept access acknowledge activate add adjust advance align allocate allow alter
analyse analyze annotate answer append apply approve archive arm ask assign attach audit
authenticate authorise authorize backup ban begin bind block boot branch break broadcast
browse build buy calculate call cancel capture cast change charge chat check checkout
choose claim classify clean clear click clone close collapse collect comment commit
compare compile complete compose compress compute configure confirm connect consume
convert copy correct count crawl create crop cut deactivate deal debug decline decode
decompress decrease decrement decrypt deduct define delay delegate delete deliver deny
deploy deposit deregister describe deselect destroy detach detect dial diff disable
disarm discard disconnect dismiss dispatch display divide do download drag draw drop
dump duplicate echo edit eject embed emit empty enable encode encrypt end enqueue enter
erase estimate eval evaluate examine exclude exec execute exit expand expire explain
export extend extract fail fetch fill filter find finish fire fix flag flip flush focus
fold follow forget fork format forward freeze generate get give go grant group grow halt
handle hide highlight hold hover identify ignore import include increase increment index
ingest init initialise initialize insert inspect install instantiate invalidate invite
invoke issue join keep kick kill label launch lead learn leave like limit link list
listen load locate lock log login logout lookup loop lower make manage map mark match
measure merge migrate minimize mock modify monitor mount move multiply mute name
navigate negotiate normalize note notify observe open operate optimize order pack
paginate parse park paste patch pause pay peek perform pick pin ping place plan play
plot poll pop populate post predict prepare prepend press preview print process produce
promote prompt protect provide provision prune publish pull purchase purge push put
query queue quit raise rank rate read reboot rebase rebuild recall receive recommend
reconnect record recover redeem redo redraw reduce refactor refill refresh refund
register reindex reject release reload remind remote remove rename render renew reopen
reorder repair repeat replace replay reply report request rerun reschedule reserve
reset resize resolve restart restore resume retrieve retry return reveal revert review
revoke rewind rewrite ride rip roll rollback rotate route run sample save scale scan
schedule score scrape screenshot scroll search seek select sell send serve set share
shift show shrink shut shutdown shuffle sign simulate skip sleep snapshot snooze solve
sort spawn split squash stage star start stash stat step stop store stream strip submit
subscribe subtract suggest sum summarise summarize suspend swap switch sync synthesize
tag tail take talk tap tell terminate test text throttle throw toggle touch trace track
train transcribe transfer transform translate transmit trash trigger trim truncate trust
try tune turn type unarchive unassign unban unbind unblock uncheck undelete undeploy undo
unfollow unfreeze uninstall unlink unlock unmark unmount unmute unpack unpin unpublish
unregister unset unshare unstar unsubscribe untag unwatch update upgrade upload upsert
use validate verify view visit vote wait wake warn watch wipe withdraw wrap write yank
zip unzip zoom
"""

_PLACES = """
after alpha asc before beta blue bottom canary child client copy desc dest dev down draft
eu first fast full green head high home in inner input internal jp last left live local
long low main master max min minor major new next off old on open out outer output
parent prev previous primary prod production public private qa receiver red remote right
sandbox secondary sender server short slow small source staging stage tail target test
top uat uk up us
"""

_THINGS = """
account action actor address agent album alert alias amount answer app area article
artist asset attachment author balance bank base batch bill block blob board body book
bookmark bot box branch bucket budget bug button cable cache calendar call camera card
cart case category cell channel chapter chart chat city class client clip cluster code
column command comment commit company contact container content contract cost country
course cron currency customer data database dataset date day deal deck default deployment
desk detail device disk doc document domain door drive driver email entity entry env
environment error event example expense fact feature feed field figure file filter
folder font form frame function game goal graph grid group guest hash header history
holiday hook host hour house icon id image index instance invite invoice issue item job
key kind label lane language layer lead leader ledger lesson letter level library line
link list loan location lock log mail mailbox map margin member memory menu message meta
method metric mile minute mode model module month movie name namespace network news node
note notebook notice number object offer office option order org organization owner pack
package page pages parameter part partner password path patient payment period person
phone photo picture pin place plan player playlist plugin point policy pool port post
price product profile program project prompt property pull quarry query queue quota
quote rate reader record region relation release repo report repository request resource
response result role room root route row rule run sale sample scene schedule schema
scope score screen script season seat secret section segment sensor sentence series
server service session sheet shift shop shot side site size skill slide slot snapshot
song space spec stack staff stage star state statement station status step stock stop
store story stream street string student style subject summary supplier tab table tag
talk target task tax teacher team template tenant term test text theme thing thread
ticket tile time title toast token tool topic total track trade transaction transcript
tree trend trip tweet type unit url usage user value variable vault vehicle vendor
version video view visit voice volume vote wallet weather web website week wiki window
word work worker workflow workspace year zone
"""

KNOWN: Final = frozenset(f"{_VERBS} {_PLACES} {_THINGS}".split())
"""Words to which a typed word may amount without being a slip for another."""
