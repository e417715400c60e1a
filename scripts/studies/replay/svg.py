"""Small pictures, written by hand, readable on light and on dark pages: bars, lines, and maps of cells."""
import xml.sax.saxutils

STYLE = """<style>
 svg { --page: #ffffff; --ink: #1f2328; --faint: #d0d7de; --a: #0969da; --b: #bc4c00; --c: #1a7f37; --d: #8250df;
       --less: #f6c9a8; --none: #eef1f4; --some: #b6d4f5; --hit: #2c7a3f; --over: #6639ba; --on-hit: #ffffff; }
 @media (prefers-color-scheme: dark) {
  svg { --page: #0d1117; --ink: #e6edf3; --faint: #3d444d; --a: #58a6ff; --b: #f0883e; --c: #3fb950; --d: #bc8cff;
        --less: #6b3a17; --none: #21262d; --some: #1f4a7a; --hit: #56d364; --over: #d2a8ff; --on-hit: #0d1117; } }
 text { font: 12px sans-serif; fill: var(--ink); } .small { font-size: 10px; } .title { font-weight: bold; font-size: 13px; }
</style>"""
COLOURS = ["a", "b", "c", "d"]


def escaped(text):
    return xml.sax.saxutils.escape(text)


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def words(x, y, text, anchor="start", style="", fill="", turned=""):
    more = (f' class="{style}"' if style else "") + (f' style="fill: var(--{fill})"' if fill else "") + turned
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{more}>{escaped(text)}</text>'


def upright(x, y, text):
    return words(x, y, text, "middle", turned=f' transform="rotate(-90 {number(x)} {number(y)})"')


def line(x1, y1, x2, y2, colour="faint", dashes=""):
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
            f'style="stroke: var(--{colour})"{dash}/>')


def box(x, y, width, height, colour):
    return (f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'style="fill: var(--{colour})"/>')


def page(width, height, title, parts):
    width = max(width, 24 + 8 * len(title))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="{escaped(title)}">')
    return "\n".join([head, STYLE, box(0, 0, width, height, "page"), words(12, 20, title, style="title"), *parts, "</svg>\n"])


def bars(title, values, unit, mark=None):
    """`values`: (name, number); `mark`: (text, number), a line across all of them. What is more than three times the least
    goes off the picture."""
    left, right, top, pitch = 130, 640, 36, 24
    greatest = max(value for _, value in values if value <= 3 * min(value for _, value in values))
    parts = []
    for place, (name, value) in enumerate(values):
        off = value > greatest
        y, width = top + place * pitch, (right - left) * (0.89 if off else value / greatest * 0.86)
        parts += [words(left - 8, y + 14, name, "end"), box(left, y + 3, width, pitch - 8, "b" if off else "a"),
                  words(left + width + 6, y + 14, ("\u2192 " if off else "") + f"{value:.0f} {unit}", style="small")]
    bottom = top + len(values) * pitch
    if mark:
        x = left + (right - left) * mark[1] / greatest * 0.86
        parts += [line(x, top, x, bottom + 4, "b", "4 3"), words(x, bottom + 18, mark[0], "middle", "small")]
    return page(right + 20, bottom + 28, title, parts)


def nice_ticks(low, high, about=5):
    step = 10 ** 9
    for power in range(9, -6, -1):
        for digit in (5, 2, 1):
            if (high - low) / (digit * 10.0 ** power) <= about:
                step = digit * 10.0 ** power
    first = round(low / step + 0.4999)
    ticks = []
    while (first + len(ticks)) * step <= high * 1.0001:
        ticks.append((first + len(ticks)) * step)
    return ticks


def lines(title, x_title, y_title, series, marks=()):
    """`series`: (name, [(x, y)]), `marks`: (text, x), lines from bottom to top. Both axes are straight, y from 0."""
    left, right, top, bottom = 52, 470, 36, 290
    xs = [x for _, points in series for x, _ in points]
    high_x, high_y = max(xs), 1.1 * max(y for _, points in series for _, y in points)
    at_x = lambda x: left + (right - left) * x / high_x
    at_y = lambda y: bottom - (bottom - top) * y / high_y
    parts = []
    for tick in nice_ticks(0, high_y):
        parts += [line(left, at_y(tick), right, at_y(tick)), words(left - 6, at_y(tick) + 4, f"{tick:g}", "end", "small")]
    for tick in nice_ticks(0, high_x):
        parts.append(words(at_x(tick), bottom + 15, f"{tick:g}", "middle", "small"))
    for text, x in marks:
        parts += [line(at_x(x), top, at_x(x), bottom, "ink", "4 3"), words(at_x(x) + 4, top + 10, text, style="small")]
    for place, (name, points) in enumerate(series):
        colour, dash = COLOURS[place % 4], ["", "6 3", "2 2", "8 3 2 3"][place // 4 % 4]
        way = " ".join(f"{number(at_x(x))},{number(at_y(y))}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        parts += [f'<polyline points="{way}" fill="none" style="stroke: var(--{colour})" stroke-width="2"{dashes}/>',
                  line(right + 12, top + 8 + 18 * place, right + 32, top + 8 + 18 * place, colour),
                  words(right + 38, top + 12 + 18 * place, name, style="small")]
    parts += [words((left + right) / 2, bottom + 34, x_title, "middle"),
              upright(14, (top + bottom) / 2, y_title)]
    return page(680, bottom + 46, title, parts)


def cells(title, x_title, y_title, columns, rows, colour_of, text_of, legend):
    """A map: `columns` and `rows` name the places, rows from the bottom; `legend`: (colour, text)."""
    left, top, width, height = 60, 36, 42, 22
    bottom = top + height * len(rows)
    parts = []
    for row, name in enumerate(rows):
        y = bottom - (row + 1) * height
        parts.append(words(left - 6, y + 15, name, "end", "small"))
        for column in range(len(columns)):
            colour = colour_of(column, row)
            fill = "on-hit" if colour in ("hit", "over") else ""
            parts += [box(left + column * width, y, width - 1, height - 1, colour),
                      words(left + (column + 0.5) * width, y + 14, text_of(column, row), "middle", "small", fill)]
    for column, name in enumerate(columns):
        parts.append(words(left + (column + 0.5) * width, bottom + 14, name, "middle", "small"))
    right = left + width * len(columns)
    parts += [words((left + right) / 2, bottom + 32, x_title, "middle"),
              upright(16, (top + bottom) / 2, y_title)]
    x, y = left, bottom + 44
    for colour, text in legend:
        parts += [box(x, y, 12, 12, colour), words(x + 17, y + 10, text, style="small")]
        x += 30 + 6 * len(text)
    return page(max(right, x) + 20, bottom + 66, title, parts)
