"""A picture of a planet as PNG bytes, with nothing but the standard library."""

import math
import struct
import zlib

__all__ = ["Colour", "planet"]

Colour = tuple[int, int, int]

# The palette: night, a star, and the shades of the planet from dark to light.
_NIGHT, _STAR, _DARKEST = range(3)
_SKY: tuple[Colour, Colour] = ((12, 14, 32), (235, 235, 220))
_SHADES = 32


def planet(width: int, height: int, colour: Colour) -> bytes:
    """Draw a planet of *colour*, lit from the upper left, among a few stars."""
    # Each line begins with the number of its filter; 0 is none.
    lines = b"".join(b"\0" + _line(y, width, height) for y in range(height))
    # 8 bits a pixel, with a palette (3); then the only methods there are.
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", _palette(colour)),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def _palette(colour: Colour) -> bytes:
    lights = ((shade + 4) / (_SHADES + 3) for shade in range(_SHADES))
    shades = [tuple(round(part * light) for part in colour) for light in lights]
    return bytes(part for entry in (*_SKY, *shades) for part in entry)


def _line(y: int, width: int, height: int) -> bytes:
    radius = min(width, height) * 0.4
    v = (y + 0.5 - height / 2) / radius
    return bytes(
        _globe((x + 0.5 - width / 2) / radius, v) or _sky(x, y) for x in range(width)
    )


def _globe(u: float, v: float) -> int:
    """Return the shade at a point of the unit disc, or 0 outside of it."""
    if u * u + v * v > 1:
        return 0
    towards_us = math.sqrt(1 - u * u - v * v)
    light = min(1.0, max(0.0, 0.75 * towards_us - 0.5 * u - 0.45 * v))
    return _DARKEST + round(light * (_SHADES - 1))


def _sky(x: int, y: int) -> int:
    # Large odd factors scatter the stars, the same ones every time.
    return _STAR if (x * 7919 + y * 104729) % 457 == 0 else _NIGHT
