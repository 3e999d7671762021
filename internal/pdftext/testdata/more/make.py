"""Makes ten more documents, by other programs and layouts than make.py.

    python3 -m venv v && v/bin/pip install typst fpdf2 && v/bin/python make_more.py FOLDER

It also needs groff, Chromium, and the fonts DejaVu and IPA Gothic (Debian: fonts-dejavu-core,
fonts-ipafont-gothic).
"""
import os
import subprocess
import sys

import typst
from fpdf import FPDF

OUT = sys.argv[1]
GOTHIC = '/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf'
EN = ['Ferry {n} left the harbour with {m} passengers on board.',
      'The keeper of light {n} wrote down the wind every hour.',
      'Nets from boat {n} were dried on the wall for {m} days.',
      'In winter {n} the ice closed the channel for a month.',
      'The price of salt rose by {m} coins in the village of post {n}.']
JA = ['第{n}便は{m}人の客を乗せて港を出た。',
      '灯台{n}の番人は一時間ごとに風の向きを書きとめた。',
      '{n}号船の網は{m}日のあいだ石垣の上で干された。',
      '{n}年目の冬には氷が水路を一か月ふさいだ。',
      '{n}番の村では塩の値段が{m}文も上がった。']


def text(lang, number, size=4):
    lines = EN if lang == 'en' else JA
    return ('' if lang == 'ja' else ' ').join(
        lines[(number + i) % 5].format(n=number * 100 + i, m=number * 9 + i + 40) for i in range(size))


def save(name, truth):
    with open(f'{OUT}/{name}.txt', 'w') as f:
        for line in truth:
            f.write(('\t'.join(line) if isinstance(line, (list, tuple)) else line) + '\n')


def typ(name, lang, body, truth):
    font = 'DejaVu Serif' if lang == 'en' else 'IPAGothic'
    with open(f'{OUT}/{name}.typ', 'w') as f:
        f.write(f'#set page("a4", margin: 2cm)\n#set text(font: "{font}", size: 9pt, lang: "{lang}")\n'
                f'#set par(justify: true)\n{body}')
    typst.compile(f'{OUT}/{name}.typ', output=f'{OUT}/{name}.pdf')
    os.remove(f'{OUT}/{name}.typ')
    save(name, truth)


def papers():
    """Two columns under a title of the whole width, each with a footnote."""
    for lang, title, heads, notes in (
            ('en', 'Salt and Ferries of the Northern Strait', ['Traffic on the water', 'Life on the shore'],
             ['Taken from the book of the harbour, leaf ninety.', 'Told by a widow who kept the inn.']),
            ('ja', '北の海峡の塩と渡し船', ['海の上の行き来', '岸辺の暮らし'],
             ['港の帳面の九十枚目による。', '宿を営む未亡人の話による。'])):
        abstract = text(lang, 90, 3)
        parts, truth = [], [title, abstract]
        for c, (head, note) in enumerate(zip(heads, notes)):
            lines = [text(lang, 10 * c + i, 5) for i in range(1, 4)]
            parts.append(f'= {head}\n{lines[0]}\n\n{lines[1]}#footnote[{note}]\n\n{lines[2]}\n')
            truth += [head, lines[0], lines[1] + ' ' + str(c + 1), lines[2], f'{c + 1} {note}']
        typ(f'{lang}-typst-paper', lang,
            '#set page(columns: 2)\n'
            f'#place(top + center, scope: "parent", float: true)[#text(16pt)[{title}] #v(1em) {abstract}]\n'
            + '#colbreak()\n'.join(parts), truth)


def tables():
    rows = [['Harbour', 'Opened', 'Boats', 'What it is known for'],
            ['Eastwick', '1604', '31', 'herring that is smoked over beech wood, and ropes of hemp'],
            ['Grey Point', '1711', '8', 'a light that burns whale oil in all of its four lamps'],
            ['Low Sands', '1790', '112', 'salt, which women carry inland in baskets on their backs']]
    before, after = text('en', 41), text('en', 42)
    cells = ', '.join(f'[{c}]' for row in rows for c in row)
    typ('en-typst-table', 'en', f'{before}\n\n#table(columns: (auto, auto, auto, 5cm), stroke: none, table.hline(), '
        f'{cells}, table.hline())\n\n{after}', [before, *rows, after])
    rows = [['港', '開港', '船の数', '名物'],
            ['東浦', '一六〇四年', '三十一隻', 'ぶなの薪でいぶしたにしんと、麻でなった太い綱'],
            ['灰の岬', '一七一一年', '八隻', '四つの灯のすべてに鯨の油を燃やす古い灯台'],
            ['低砂', '一七九〇年', '百十二隻', '女たちが籠に入れて背負い、内陸へ運んでいく塩']]
    before, after = text('ja', 43), text('ja', 44)
    cells = ', '.join(f'[{c}]' for row in rows for c in row)
    typ('ja-typst-table', 'ja', f'{before}\n\n#table(columns: (auto, auto, auto, 5cm), stroke: none, {cells})\n\n'
        f'{after}', [before, *rows, after])


def ms():
    """Two columns by groff's macros, with a footnote and a table in a column."""
    lines = [text('en', 50 + i, 6) for i in range(6)]
    rows = [['Month', 'Boats'], ['May', '412'], ['June', '398'], ['July', '455']]
    note = 'Counted at the chain of the harbour.'
    table = '.TS\nl r.\n' + '\n'.join('\t'.join(row) for row in rows) + '\n.TE\n'
    source = ('.TL\nBoats of One Summer\n.AU\nA. Keeper\n.2C\n.NH\nSpring\n.PP\n' + lines[0] + '\\**\n.FS\n' + note +
              '\n.FE\n.PP\n' + lines[1] + '\n.PP\n' + lines[2] + '\n.bc\n.NH\nSummer\n.PP\n' + lines[3] + '\n' + table +
              '.PP\n' + lines[4] + '\n')
    with open(f'{OUT}/en-groff-ms.pdf', 'wb') as f:
        subprocess.run(['groff', '-Tpdf', '-t', '-ms', '-P-pa4'], input=source.encode(), stdout=f, check=True)
    save('en-groff-ms', ['Boats of One Summer', 'A. Keeper', '1. Spring', lines[0] + ' 1', lines[1], lines[2],
                         '2. Summer', lines[3], *rows, '1 ' + note, lines[4]])


def fpdf(lang):
    pdf = FPDF(format='A4')
    pdf.add_page()
    if lang == 'ja':
        pdf.add_font('ipa', fname=GOTHIC)
        pdf.add_font('ipa', 'B', fname=GOTHIC)
        pdf.set_font('ipa', size=10)
    else:
        pdf.set_font('Helvetica', size=10)
    return pdf


def invoice():
    """Two addresses side by side, a table with lines, and sums at the right."""
    pdf = fpdf('en')
    left = ['Northern Rope Works', '12 Chain Street', 'Eastwick']
    right = ['Invoice 2291', 'Date: 4 May 1911', 'Customer: 77-B']
    y = pdf.get_y()
    pdf.multi_cell(80, 6, '\n'.join(left))
    pdf.set_xy(120, y)
    pdf.multi_cell(70, 6, '\n'.join(right), align='R')
    pdf.set_y(y + 30)
    rows = [['Item', 'Pieces', 'Price', 'Sum'], ['Hemp rope, 20 fathoms', '3', '4.50', '13.50'],
            ['Tarred net', '1', '18.00', '18.00'], ['Cork float', '40', '0.10', '4.00']]
    with pdf.table(col_widths=(90, 25, 25, 25)) as table:
        for row in rows:
            table.row(row)
    sums = [['Sum', '35.50'], ['Tax', '1.42'], ['Total', '36.92']]
    for name, value in sums:
        pdf.cell(140, 7, name, align='R')
        pdf.cell(25, 7, value, align='R', new_x='LMARGIN', new_y='NEXT')
    end = text('en', 61)
    pdf.multi_cell(0, 6, end)
    pdf.output(f'{OUT}/en-fpdf-invoice.pdf')
    save('en-fpdf-invoice', [*left, *right, *rows, *sums, end])


def cells():
    """A Japanese table with lines and cells of several lines."""
    pdf = fpdf('ja')
    before, after = text('ja', 71), text('ja', 72)
    pdf.multi_cell(0, 6, before)
    rows = [['日', '当番', '記録'],
            ['一日', '佐藤', '朝から南の風が強く、渡し船は三便を休んだ。夕方には波が収まり、網を干した。'],
            ['二日', '高橋', '霧が濃く、灯台の鐘を一日じゅう鳴らした。迷った漁船が二隻、無事に戻った。'],
            ['三日', '渡辺', '油の樽が届いた。数を数えると、注文より一つ足りなかった。']]
    with pdf.table(col_widths=(20, 30, 90), line_height=6) as table:
        for row in rows:
            table.row(row)
    pdf.multi_cell(0, 6, after)
    pdf.output(f'{OUT}/ja-fpdf-cells.pdf')
    save('ja-fpdf-cells', [before, *rows, after])


def three():
    """Three narrow columns, as in a newspaper."""
    pdf = fpdf('en')
    title, lines = 'The Strait Gazette', [text('en', 80 + i, 5) for i in range(9)]
    pdf.set_font('Helvetica', size=18)
    pdf.cell(0, 12, title, align='C', new_x='LMARGIN', new_y='NEXT')
    pdf.set_font('Helvetica', size=9)
    top = pdf.get_y()
    for c in range(3):
        for i in range(3):
            pdf.set_xy(10 + 65 * c, top if i == 0 else pdf.get_y() + 3)
            pdf.multi_cell(58, 4.5, lines[3 * c + i], new_x='LEFT', new_y='NEXT')
    pdf.output(f'{OUT}/en-fpdf-three.pdf')
    save('en-fpdf-three', [title, *lines])


def chrome(name, lang, style, body, truth, *options):
    font = 'DejaVu Sans' if lang == 'en' else 'IPAPGothic'
    page = f'{OUT}/{name}.html'
    with open(page, 'w') as f:
        f.write(f'<!DOCTYPE html><html lang={lang}><meta charset=utf-8><style>body{{font:10pt/1.5 "{font}"}}'
                f'@page{{size:A4;margin:18mm}}{style}</style>{body}')
    subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer',
                    f'--print-to-pdf={OUT}/{name}.pdf', page], check=True, stderr=subprocess.DEVNULL)
    os.remove(page)
    save(name, truth)


def form():
    """A Japanese form: labels beside boxes with text, two to a row."""
    rows = [['氏名', '高橋 一郎', '電話', '〇九〇の一二三四'], ['住所', '東浦三丁目二番', '職業', '灯台守'],
            ['乗船日', '五月四日', '人数', '三人']]
    end = text('ja', 95)
    grid = ''.join(f'<label>{a}</label><div class=b>{b}</div><label>{c}</label><div class=b>{d}</div>'
                   for a, b, c, d in rows)
    chrome('ja-chromium-form', 'ja', '.g{display:grid;grid-template-columns:5em 1fr 5em 1fr;gap:8pt}'
           '.b{border:1px solid #555;padding:2pt 6pt}', f'<h1>乗船の申込書</h1><div class=g>{grid}</div><p>{end}</p>',
           ['乗船の申込書', *rows, end])


def report():
    """A box at the side of the text, and notes at the end of the page."""
    title, side, lines = 'Report of the Keeper', text('en', 96, 3), [text('en', 97 + i, 4) for i in range(3)]
    head, notes = 'In short', ['* The log of that year is lost.', '** Measured by hand.']
    chrome('en-chromium-report', 'en', 'main{display:grid;grid-template-columns:1fr 5cm;gap:10mm}'
           'aside{background:#eee;padding:4mm}.n{border-top:1px solid;margin-top:1cm;font-size:8pt}',
           f'<h1>{title}</h1><main><div>' + ''.join(f'<p>{line}</p>' for line in lines) +
           f'</div><aside><b>{head}</b><p>{side}</p></aside></main><div class=n>' +
           ''.join(f'<p>{n}</p>' for n in notes) + '</div>', [title, *lines, head, side, *notes])


papers()
tables()
ms()
invoice()
cells()
three()
form()
report()
