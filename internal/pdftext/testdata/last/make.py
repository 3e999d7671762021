"""Makes ten more documents, in other layouts than make.py and more/make.py. techo was not adjusted on them.

    python3 -m venv v && v/bin/pip install typst weasyprint reportlab fpdf2 && v/bin/python make.py FOLDER

It also needs groff, Chromium, and the fonts DejaVu, IPA Gothic and Noto CJK.
"""
import os
import subprocess
import sys

import typst
import weasyprint
from fpdf import FPDF
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, NextPageTemplate, PageTemplate, Paragraph, Table

OUT = sys.argv[1]
EN = ['Bakers on street {n} lit their ovens before dawn and sold {m} loaves.',
      'A clock in tower {n} stopped for an hour, and nobody noticed it.',
      'Pupils of school {n} planted {m} apple trees along the old canal.',
      'The museum bought painting {n}, which shows a market in the rain.',
      'Tram {n} was late because a cart of bricks had lost a wheel.']
JA = ['{n}丁目のパン屋は夜明け前に窯へ火を入れ、{m}個を売り切った。',
      '{n}号塔の時計は一時間止まったが、だれも気づかなかった。',
      '第{n}小学校の児童は古い運河に沿って{m}本のりんごを植えた。',
      '美術館は雨の市場を描いた絵{n}を買い入れた。',
      '{n}番の路面電車は煉瓦の荷車の車輪が外れたために遅れた。']


def text(lang, number, size=4):
    lines = EN if lang == 'en' else JA
    return ('' if lang == 'ja' else ' ').join(
        lines[(number + i) % 5].format(n=number * 100 + i, m=number * 7 + i + 30) for i in range(size))


def save(name, truth):
    with open(f'{OUT}/{name}.txt', 'w') as f:
        for line in truth:
            f.write(('\t'.join(line) if isinstance(line, (list, tuple)) else line) + '\n')


def html(name, lang, css, body, truth, program):
    font = 'DejaVu Sans' if lang == 'en' else 'IPAGothic, Noto Sans CJK JP'
    source = (f'<html lang={lang}><meta charset=utf-8><style>@page{{size:A4;margin:18mm}}body{{font:10pt {font}}}'
              f'{css}</style>{body}')
    if program == 'weasyprint':
        weasyprint.HTML(string=source).write_pdf(f'{OUT}/{name}.pdf')
    else:
        with open(f'{OUT}/{name}.html', 'w') as f:
            f.write(source)
        subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer',
                        f'--print-to-pdf={OUT}/{name}.pdf', f'file://{OUT}/{name}.html'], check=True,
                       capture_output=True)
        os.remove(f'{OUT}/{name}.html')
    save(name, truth)


def typ(name, lang, body, truth):
    font = 'DejaVu Serif' if lang == 'en' else 'Noto Serif CJK JP'
    with open(f'{OUT}/{name}.typ', 'w') as f:
        f.write(f'#set page("a4", margin: 2cm)\n#set text(font: "{font}", size: 9pt, lang: "{lang}")\n{body}')
    typst.compile(f'{OUT}/{name}.typ', output=f'{OUT}/{name}.pdf')
    os.remove(f'{OUT}/{name}.typ')
    save(name, truth)


def memo():
    """groff's -mm: a list with numbers in two columns after a table of the whole width."""
    lines = [text('en', i, 5) for i in range(1, 6)]
    rows = [['Street', 'Ovens', 'Loaves'], ['High', '4', '610'], ['Mill', '2', '255'], ['Quay', '7', '1,040']]
    table = '.TS\ncenter;\nl r r.\n' + '\n'.join('\t'.join(r) for r in rows) + '\n.TE\n'
    source = ('.nr Hy 0\n.P\n' + lines[0] + '\n' + table + '.2C\n.P\n' + lines[1] + '\n.P\n' + lines[2] + '\n.P\n' +
              lines[3] + '\n.P\n' + lines[4] + '\n')
    with open(f'{OUT}/en-groff-mm.pdf', 'wb') as f:
        subprocess.run(['groff', '-Tpdf', '-t', '-mm', '-P-pa4'], input=source.encode(), stdout=f, check=True)
    save('en-groff-mm', ['- 1 -', lines[0], *rows, *lines[1:]])


def news():
    """A sheet with a list at the left and two articles side by side."""
    links = ['Front page', 'Weather and tides', 'Letters to us', 'Prices of the week']
    a, b = [text('en', 10 + i, 4) for i in range(2)], [text('en', 20 + i, 4) for i in range(3)]
    html('en-chromium-news', 'en', 'body{display:grid;grid-template-columns:38mm 1fr 1fr;gap:8mm}h1{grid-column:1/4}'
         'nav p{margin:0 0 2mm}', '<h1>The Lower Town Gazette</h1><nav>' + ''.join(f'<p>{x}</p>' for x in links) +
         '</nav><div><h3>Bread and time</h3>' + ''.join(f'<p>{x}</p>' for x in a) + '</div><div><h3>On the tram</h3>' +
         ''.join(f'<p>{x}</p>' for x in b) + '</div>',
         ['The Lower Town Gazette', *links, 'Bread and time', *a, 'On the tram', *b], 'chromium')


def letter():
    """A letter: the sender at the right, the address at the left, a table without lines."""
    sender = ['Museum of the Lower Town', 'Canal Street 4', 'Phone 555 0190']
    to = ['Ms. Ada Brick', 'Tower Lane 12', 'Upper Town']
    rows = [['Painting', 'Year', 'Price'], ['Market in the rain', '1888', '1,200'], ['Four carts', '1891', '850'],
            ['The clock', '1902', '2,310']]
    body, end = text('en', 31), text('en', 32)
    html('en-weasyprint-letter', 'en', '.s{float:right;text-align:right}.t{clear:both;padding-top:5mm}td{padding:1mm '
         '12mm 1mm 0}', '<div class=s>' + '<br>'.join(sender) + '</div><div class=t>' + '<br>'.join(to) +
         f'</div><p>{body}</p><table>' + ''.join('<tr>' + ''.join(f'<td>{c}</td>' for c in r) + '</tr>' for r in rows) +
         f'</table><p>{end}</p>', [*sender, *to, body, *rows, end], 'weasyprint')


def career():
    """Years at the left, what was done at the right."""
    rows = [['1901-1904', text('en', 41, 2)], ['1904-1911', text('en', 42, 2)], ['since 1911', text('en', 43, 2)]]
    typ('en-typst-career', 'en', '= Ada Brick\n#grid(columns: (3cm, 1fr), gutter: 12pt, ' +
        ', '.join(f'[{a}], [{b}]' for a, b in rows) + ')\n', ['Ada Brick', *rows])


def report(lang, name):
    """Two columns with a heading of the whole width, a table in the first and a page that follows."""
    font = 'Helvetica'
    if lang == 'ja':
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont
        font = 'HeiseiMin-W3'
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    body = ParagraphStyle('b', fontName=font, fontSize=9, leading=12, spaceAfter=6,
                          wordWrap='CJK' if lang == 'ja' else None)
    head = ParagraphStyle('h', parent=body, fontSize=15, leading=20)
    width, height = A4
    doc = BaseDocTemplate(f'{OUT}/{name}.pdf', pagesize=A4)
    doc.addPageTemplates([
        PageTemplate('first', [Frame(50, height - 110, width - 100, 60), Frame(50, 60, 235, height - 180),
                               Frame(305, 60, 235, height - 180)]),
        PageTemplate('later', [Frame(50, 60, 235, height - 120), Frame(305, 60, 235, height - 120)])])
    lines = [text(lang, 50 + i, 6) for i in range(8)]
    rows = ([['Tram', 'Carts', 'Late'], ['North', '12', '3'], ['South', '9', '0'], ['Harbour', '31', '8']]
            if lang == 'en' else
            [['路線', '台数', '遅れ'], ['北線', '12', '3'], ['南線', '9', '0'], ['港線', '31', '8']])
    title = 'Trams and Bricks' if lang == 'en' else '路面電車と煉瓦'
    table = Table(rows, style=[('FONT', (0, 0), (-1, -1), font, 9)], hAlign='LEFT')
    p = [Paragraph(line, body) for line in lines]
    doc.build([NextPageTemplate('later'), Paragraph(title, head), FrameBreak(), p[0], table, *p[1:3], FrameBreak(),
               *p[3:5], FrameBreak(), *p[5:7], FrameBreak(), p[7]])
    save(name, [title, lines[0], *rows, *lines[1:]])


def invoice():
    """An invoice: two addresses, a table with lines, sums below it."""
    to = ['運河通り四番', '下町美術館 御中', '担当 煉瓦様']
    sender = ['塔の小路十二番', '青木額縁店', '登録番号 T1234']
    rows = [['品名', '数量', '単価', '金額'], ['額縁（樫）', '2', '12,000', '24,000'], ['ガラス板', '3', '1,500', '4,500'],
            ['配送', '1', '2,000', '2,000']]
    sums = [['小計', '30,500'], ['消費税', '3,050'], ['合計', '33,550']]
    html('ja-chromium-invoice', 'ja', '.a{display:flex;justify-content:space-between}table{width:100%;border-collapse:'
         'collapse;margin-top:8mm}td{border:1px solid;padding:1mm 2mm}.s{width:60mm;margin-left:auto}.s td{border:0}',
         '<h1>請求書</h1><div class=a><div>' + '<br>'.join(to) + '</div><div>' + '<br>'.join(sender) + '</div></div>' +
         ''.join(f'<table class={c}>' + ''.join('<tr>' + ''.join(f'<td>{x}</td>' for x in r) + '</tr>' for r in part) +
                 '</table>' for c, part in (('t', rows), ('s', sums))), ['請求書', *to, *sender, *rows, *sums], 'chromium')


def minutes():
    """Minutes: labels with values, then two columns with a list."""
    rows = [['日時', '五月四日 午後二時'], ['場所', '二階の会議室'], ['出席', '青木、煉瓦、運河の三名']]
    lines, items = [text('ja', 60 + i, 5) for i in range(3)], [text('ja', 70 + i, 1) for i in range(3)]
    typ('ja-typst-minutes', 'ja', '= 議事録\n#grid(columns: (2.5cm, 1fr), gutter: 8pt, ' +
        ', '.join(f'[{a}], [{b}]' for a, b in rows) + ')\n#v(1em)\n#columns(2)[\n' + '\n\n'.join(lines) +
        '\n#colbreak()\n' + '\n'.join('+ ' + i for i in items) + '\n]\n',
        ['議事録', *rows, *lines, *(f'{n}. {i}' for n, i in enumerate(items, 1))])


def journal():
    """Three columns between two headings of the whole width."""
    lines = [text('ja', 80 + i, 3) for i in range(9)]
    html('ja-weasyprint-journal', 'ja', '.c{columns:3;column-gap:6mm}.c p{margin:0 0 2mm}', '<h2>春の下町</h2><div class=c>' +
         ''.join(f'<p>{x}</p>' for x in lines[:5]) + '</div><h2>秋の下町</h2><div class=c>' +
         ''.join(f'<p>{x}</p>' for x in lines[5:]) + '</div>',
         ['春の下町', *lines[:5], '秋の下町', *lines[5:]], 'weasyprint')


def calendar():
    """A week as a table with lines; some cells are empty, some have several lines."""
    pdf = FPDF(format='A4')
    pdf.add_page()
    pdf.add_font('ja', fname='/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf')
    pdf.add_font('ja', 'B', fname='/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf')
    pdf.set_font('ja', size=10)
    rows = [['時刻', '月曜', '火曜', '水曜'], ['九時', '窯の掃除', '', '粉の注文と倉庫の確認'],
            ['十一時', '', '美術館との打ち合わせ', '配達'], ['十五時', '時計の点検を頼む', '植樹の手伝い', '']]
    with pdf.table(col_widths=(15, 30, 30, 30)) as table:
        for row in rows:
            table.row(row)
    end = text('ja', 91)
    pdf.multi_cell(0, 6, end)
    pdf.output(f'{OUT}/ja-fpdf-week.pdf')
    save('ja-fpdf-week', ['\t'.join(c for c in r if c).split('\t') for r in rows] + [end])


for make in (memo, news, letter, career, invoice, minutes, journal, calendar):
    make()
report('en', 'en-reportlab-report')
report('ja', 'ja-reportlab-report')
