"""The words that tools are named with: one of them is meant, not mistyped."""

from __future__ import annotations

from typing import Final

__all__ = ["CONNECTIVES", "KNOWN", "NEGATIONS", "READING"]

READING: Final = frozenset(
    ("count", "describe", "find", "get", "list", "read", "search", "show")
)
"""First words that promise to change nothing (docs/names.md)."""

CONNECTIVES: Final = frozenset("an as at by for if in is me my of on or to".split())
"""Short words that are no codes: there is no other one that could be meant."""

NEGATIONS: Final = ("un", "dis", "de", "re", "non", "in", "im", "pre", "post", "anti")
"""Beginnings that turn a word into another: lock, unlock; approve, disapprove."""

_VERBS = """
abort accept access acknowledge activate add adjust advance align allocate allow alter
analyse analyze annotate answer append apply approve archive arm ask assign attach audit
authenticate authorise authorize backup bake ban begin bind block boot branch break
broadcast browse build buy calculate call cancel capture cast change charge chat check
checkout choose claim classify clean clear click clone close collapse collect comment
commit compare compile complete compose compress compute configure confirm connect
consume convert copy correct count crawl create crop cut deactivate deal debug decline
decode decompress decrease decrement decrypt deduct define delay delegate delete deliver
deny deploy deposit deregister describe deselect destroy detach detect dial diff disable
disarm discard disconnect dismiss dispatch display divide do download drag draw drop
dump duplicate echo edit eject embed emit empty enable encode encrypt end enqueue enter
erase estimate eval evaluate examine exclude exec execute exit expand expire explain
export extend extract fail fetch fill filter find finish fire fix flag flip flush focus
fold follow forget fork format forward freeze generate get give go grant group grow halt
handle hide highlight hire hold hover identify ignore import include increase increment
index ingest init initialise initialize inject insert inspect install instantiate
invalidate invite invoke issue join jump keep kick kill label launch lead learn leave
lend let like limit link list listen load locate lock log login logout lookup loop lower
make manage map mark match measure meet merge migrate minimize mock modify monitor mount
move multiply mute name navigate negotiate normalize note notify observe open operate
optimize order pack paginate paint park parse paste patch pause pay peek perform pick
pin ping place plan play plot poll pop populate post predict prepare prepend press
preview print process produce promote prompt protect provide provision prune publish
pull purchase purge push put query queue quit quote raise rank rate read rebase reboot
rebuild recall receive recommend reconnect record recover redeem redo redraw reduce
refactor refill refresh refund register reindex reject release reload remind remote
remove rename render renew reopen reorder repair repeat replace replay reply report
request rerun reschedule reserve reset resize resolve restart restore resume retrieve
retry return reveal revert review revoke rewind rewrite ride rip roll rollback rotate
route run sample save scale scan schedule score scrape screenshot scroll search seek
select sell send serve set share shift show shrink shuffle shut shutdown sign simulate
skip sleep snapshot snooze solve sort spawn split squash stage star start stash step
stop store stream strip submit subscribe subtract suggest sum summarise summarize
suspend swap switch sync synthesize tag tail take talk tap tell terminate test text
throttle throw toggle touch trace track train transcribe transfer transform translate
transmit trash trigger trim truncate trust try tune turn type unarchive unassign unban
unbind unblock uncheck undelete undeploy undo unflag unfollow unfreeze uninstall unlink
unlock unmark unmount unmute unpack unpin unpublish unregister unset unshare unstar
unsubscribe untag unwatch unzip update upgrade upload upsert use validate vary verify
view visit vote wait wake warn watch wipe withdraw wrap write yank zip zoom
"""

_KINDS = """
after alpha asc before beta blue bottom canary child desc dest dev down draft eu fast
first full green head high home in inner input internal jp last left live local long low
main major master max min minor new next off old on out outer output parent prev
previous primary private prod production public qa receiver right sandbox secondary
sender short slow small source staging top uat uk up us
"""

_THINGS = """
account action actor address agent album alert alias amount app area article artist
asset attachment author balance bank base batch bet bill blob board body book bookmark
bot box bucket budget bug button cable cache calendar camera card cart case category
cell channel chapter chart city class client clip cluster code column command company
contact container content contract cost country course cron currency customer data
database dataset date day deck deed default deployment desk detail device disk doc
document domain door drive driver email entity entry env environment error event example
expense fact fax feature feed field figure file folder font form frame function game
goal graph grid guest hash header history holiday hook host hour house icon id image
instance invoice item job key kind lane language layer leader ledger lesson letter level
library line loan location mail mailbox margin meet member memory menu message meta
method metric mile minute mode model module month movie namespace net network news node
notebook notice number object offer office option org organization owner package page
parameter part partner password path patient payment period person pet phone photo
picture player playlist plugin point policy pool port price product profile program
project property quota quote reader region relation repo repository resource response
result role room root row rule sale scene schema scope screen script season seat secret
section seed segment sensor sentence series server service session sheet shop shot side
site size skill slide slot song space spec stack staff state statement station status
stock story street string student style subject summary supplier tab table target task
tax teacher team template tenant term theme thing thread ticket time title toast token
tool topic total trade transaction transcript tree trend trip tweet unit url usage user
value variable vault vehicle vendor version vet video voice volume wallet weather web
website week wiki window word work worker workflow workspace year zone
"""

# A server of that name may not be configured, but it is no slip for one that is.
_PRODUCTS = """
airtable asana atlassian aws azure bigquery bitbucket brave calendly canva chrome claude
clickhouse cloudflare cloudinary codex confluence context cursor databricks datadog
discord docker dropbox duckdb edge elastic everything exa excel exchange expo facebook
fastmail figma filesystem firebase firecrawl firefox gcp gemini ghost gitea github
gitlab gmail google grafana heroku hubspot huggingface instagram intercom jenkins jira
jupyter kafka kagi kubernetes langfuse linear linkedin mailchimp mariadb mastodon
mistral monday mongo mongodb mysql neo4j neon netlify notion obsidian okta openai oracle
outlook pagerduty paypal perplexity plaid playwright postgres postgresql posthog
puppeteer qdrant quickbooks railway reddit redis salesforce sentry shopify slack
snowflake spark splunk spotify sqlite square stripe supabase tavily teams telegram
todoist trello twilio twitter vercel weaviate whatsapp wordpress xero youtube zapier
zendesk zoho
"""

KNOWN: Final = frozenset(f"{_VERBS} {_KINDS} {_THINGS} {_PRODUCTS}".split())
"""Words to which a typed word may amount without being a slip for another."""
