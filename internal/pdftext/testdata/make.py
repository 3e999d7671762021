"""Makes the documents of this folder, each NAME.pdf with NAME.txt: what a person reads, a line for
each paragraph or row, with tabs between cells.

    python3 -m venv v && v/bin/pip install weasyprint reportlab pypdf && v/bin/python make.py FOLDER

It also needs groff, Chromium, and the fonts DejaVu and IPA Gothic (Debian: fonts-dejavu-core,
fonts-ipafont-gothic).
"""
import os
import subprocess
import sys

import pypdf
import weasyprint
from pypdf.generic import ArrayObject, BooleanObject, NameObject, TextStringObject
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table

OUT = sys.argv[1]
pdfmetrics.registerFont(UnicodeCIDFont('HeiseiMin-W3'))

EN = ['The {n} kiln was lit before dawn and burned for {m} hours.',
      'Potters carried the cups of shelf {n} across the yard in baskets.',
      'Rain in week {n} kept the clay soft, so the walls came out thin.',
      'A merchant ordered {m} bowls with a blue rim for house {n}.',
      'Nobody wrote down why oven {n} cracked, but the ash was wet.',
      'By noon the glaze of batch {n} had turned green as moss.']
JA = ['第{n}窯は夜明け前に火が入り、{m}時間燃え続けた。',
      '職人たちは棚{n}の茶碗を籠に入れて庭の向こうへ運んだ。',
      '{n}週目の雨で土が柔らかくなり、壁は薄く仕上がった。',
      '商人は屋号{n}のために青い縁の鉢を{m}個注文した。',
      '窯{n}がなぜ割れたのか誰も書き残さなかったが、灰は湿っていた。',
      '昼までに{n}番の釉薬は苔のような緑に変わった。']


def text(lang, number, size=4):
    """Returns a paragraph whose numbers occur nowhere else."""
    lines = EN if lang == 'en' else JA
    return ('' if lang == 'ja' else ' ').join(
        lines[(number + i) % len(lines)].format(n=number * 100 + i, m=number * 7 + i + 30) for i in range(size))


def save(name, truth):
    with open(f'{OUT}/{name}.txt', 'w') as f:
        for line in truth:
            f.write(('\t'.join(line) if isinstance(line, (list, tuple)) else line) + '\n')


def groff(name, source, truth, *options):
    with open(f'{OUT}/{name}.pdf', 'wb') as f:
        subprocess.run(['groff', '-Tpdf', *options], input=source.encode(), stdout=f, check=True)
    save(name, truth)


def html(lang, style, body):
    font = 'DejaVu Serif' if lang == 'en' else 'IPAPGothic'
    return (f'<!DOCTYPE html><html lang={lang}><meta charset=utf-8><style>body{{font:10pt/1.4 "{font}"}}'
            f'@page{{size:A4;margin:20mm}}table{{border-collapse:collapse}}td,th{{padding:2pt 6pt;'
            f'vertical-align:top;text-align:left}}{style}</style>{body}')


def weasy(name, lang, style, body, truth):
    weasyprint.HTML(string=html(lang, style, body)).write_pdf(f'{OUT}/{name}.pdf')
    save(name, truth)


def chrome(name, lang, style, body, truth):
    page = f'{OUT}/{name}.html'
    with open(page, 'w') as f:
        f.write(html(lang, style, body))
    subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer',
                    f'--print-to-pdf={OUT}/{name}.pdf', page], check=True, stderr=subprocess.DEVNULL)
    os.remove(page)
    save(name, truth)


def frames(name, story, truth, columns=2):
    d = BaseDocTemplate(f'{OUT}/{name}.pdf', pagesize=A4)
    width = 480 / columns
    d.addPageTemplates(PageTemplate(frames=[Frame(60 + i * width, 400, width - 10, 360) for i in range(columns)]))
    d.build(story)
    save(name, truth)


def rows(lang, wide=False):
    """Returns a table, with long texts in the second and third column if wide."""
    if lang == 'en':
        head = ['Item', 'Description', 'Remarks', 'Price']
        long = ['A tall cup with a blue rim, thrown by hand', 'Breaks easily; wrap it in straw or paper',
                'A flat plate for fish, with two small feet', 'Only in summer', 'A jar', 'Its lid is sold alone '
                'since the fire in the old store']
        short = ['tall cup', 'fragile', 'flat plate', 'summer', 'jar', 'no lid']
    else:
        head = ['品目', '説明', '備考', '価格']
        long = ['手びねりで作った青い縁の背の高い茶碗', '割れやすいので藁か紙で包むこと', '魚を盛る平たい皿で小さな足が二つある',
                '夏のみ', '壺', '古い倉の火事のあと蓋は別売りになった']
        short = ['湯呑み', '割れ物', '平皿', '夏のみ', '壺', '蓋なし']
    cells = long if wide else short
    return [head] + [[f'A-{n + 1}', cells[2 * n], cells[2 * n + 1], f'{n + 1},{n}50'] for n in range(3)]


def table(data, attributes=''):
    out = ''.join('<tr>' + ''.join(f'<td>{c}</td>' for c in r) + '</tr>' for r in data)
    return f'<table {attributes}>{out}</table>'


def english():
    a, b, c, d = (text('en', n, 5) for n in (1, 2, 3, 4))
    groff('en-groff-columns', f'.TL\nOn Kilns\n.AU\nM. Ito\n.2C\n.SH\nFire\n.PP\n{a}\n.PP\n{b}\n.SH\nAsh\n.PP\n'
          f'{c}\n.PP\n{d}\n', ['On Kilns', 'M. Ito', 'Fire', a, b, 'Ash', c, d], '-ms')
    plain, wide = rows('en'), rows('en', True)
    lines = '\n'.join(';'.join(r) for r in plain)
    groff('en-groff-table', f'.LP\n{a}\n.TS\ntab(;);\nl l l r.\n{lines}\n.TE\n.LP\n{b}\n', [a, *plain, b], '-ms', '-t')
    lines = '\n'.join(f'{r[0]};T{{\n{r[1]}\nT}};T{{\n{r[2]}\nT}};{r[3]}' for r in wide)
    groff('en-groff-cells', f'.LP\n{a}\n.TS\nallbox tab(;);\nl lw(1.4i) lw(1.4i) r.\n{lines}\n.TE\n', [a, *wide],
          '-ms', '-t')
    style = ParagraphStyle('x', fontName='Helvetica', fontSize=10, leading=12)
    frames('en-reportlab-columns', [Paragraph(t, style) for t in (a, b, c, d, text('en', 5, 6))] +
           [Paragraph(text('en', 6, 6), style)], [a, b, c, d, text('en', 5, 6), text('en', 6, 6)])
    frames('en-reportlab-table', [Paragraph(a, style), Table(
        [[Paragraph(x, style) for x in r] for r in wide], colWidths=[50, 160, 160, 60],
        style=[('GRID', (0, 0), (-1, -1), 0.5, colors.black), ('VALIGN', (0, 0), (-1, -1), 'TOP')]),
        Paragraph(b, style)], [a, *wide, b], 1)
    three = [text('en', n, 5) for n in range(11, 17)]
    weasy('en-weasyprint-columns', 'en', 'div{columns:3}', '<h1>The Potters\' Herald</h1><div>' +
          ''.join(f'<p>{t}</p>' for t in three) + '</div><p>Printed at the mill.</p>',
          ["The Potters' Herald", *three, 'Printed at the mill.'])
    weasy('en-weasyprint-invoice', 'en', 'table{width:100%}td:last-child{text-align:right}',
          table([['Mill Pottery', 'Invoice 4711'], ['2 Mill Lane', '3 May 2026']]) + f'<p>{a}</p>' + table(plain) +
          table([['', 'Total', '6,300']]),
          [['Mill Pottery', 'Invoice 4711'], ['2 Mill Lane', '3 May 2026'], a, *plain, ['Total', '6,300']])
    chrome('en-chromium-columns', 'en', '.c{columns:2;column-gap:10mm}', f'<h1>Clay and Fire</h1><div class=c><p>{a}</p>'
           f'<p>{b}</p><p>{c}</p></div>{table(plain, "border=1")}<div class=c><p>{d}</p><p>{text("en", 7)}</p></div>',
           ['Clay and Fire', a, b, c, *plain, d, text('en', 7)])
    mixed = ['Set <code>kiln.max</code> to <b>1200</b> <i>degrees</i>, not more', 'Water is H<sub>2</sub>O, and area is '
             'm<sup>2</sup>', 'See <a href=x>the <b>notes</b></a> in <tt>ash.txt</tt>.']
    plain_mixed = ['Set kiln.max to 1200 degrees, not more', 'Water is H2O, and area is m2', 'See the notes in ash.txt.']
    chrome('en-chromium-mixed', 'en', '', ''.join(f'<p>{t}</p>' for t in mixed), plain_mixed)
    form('en-reportlab-form', [('Name', 'Ada Potter'), ('Street', '2 Mill Lane'), ('Town', 'Ashford')],
         ['Bowls', 'Cups'], 'Colour', ['blue', 'green'])


def form(name, fields, ticks, label, options):
    """Makes a form. Its values are set afterwards, because reportlab takes none in Japanese."""
    c = canvas.Canvas(f'{OUT}/{name}.pdf', pagesize=A4)
    c.setFont('Helvetica' if name.startswith('en') else 'HeiseiMin-W3', 12)
    y = 760
    for key, _ in fields:
        c.drawString(60, y, key + ':')
        c.acroForm.textfield(name=f'f{y}', x=160, y=y - 6, width=200, height=20, borderWidth=0)
        y -= 30
    for n, key in enumerate(ticks):
        c.acroForm.checkbox(name=f'f{y}', checked=n == 0, x=60, y=y - 4, size=16)
        c.drawString(84, y, key)
        y -= 30
    c.drawString(60, y, label + ':')
    c.acroForm.choice(name=f'f{y}', value='a', options=['a', 'b'], x=160, y=y - 6, width=100, height=20)
    c.save()
    w = pypdf.PdfWriter(clone_from=f'{OUT}/{name}.pdf')
    values = [v for _, v in fields]
    for a in w.pages[0]['/Annots']:
        field = a.get_object()
        if field['/FT'] == '/Tx':
            field[NameObject('/V')] = TextStringObject(values.pop(0))
        elif field['/FT'] == '/Ch':
            field[NameObject('/V')] = TextStringObject(options[0])
            field[NameObject('/Opt')] = ArrayObject(TextStringObject(o) for o in options)
        else:
            continue
        del field['/AP']
    w.root_object['/AcroForm'][NameObject('/NeedAppearances')] = BooleanObject(True)
    w.write(f'{OUT}/{name}.pdf')
    save(name, [[k + ':', v] for k, v in fields] + [['☑', ticks[0]], ['☐', ticks[1]], [label + ':', options[0]]])


def japanese():
    a, b, c, d = (text('ja', n, 5) for n in (1, 2, 3, 4))
    plain, wide = rows('ja'), rows('ja', True)
    two = [a, b, c, d, text('ja', 5, 6)]
    weasy('ja-weasyprint-columns', 'ja', 'div{columns:2}', '<h1>窯の話</h1><div>' + ''.join(f'<p>{t}</p>' for t in two) +
          '</div>', ['窯の話', *two])
    weasy('ja-weasyprint-table', 'ja', 'td{border:1px solid;width:35mm}', f'<p>{a}</p>{table(wide)}<p>{b}</p>',
          [a, *wide, b])
    weasy('ja-weasyprint-mixed', 'ja', 'b{font-family:"DejaVu Serif"}i{font-family:"DejaVu Sans Mono"}',
          '<p>これは日本語の<b>PDF</b>です。</p><p>温度は<i>1200</i>度、面積は<b>m<sup>2</sup></b>とする。</p>'
          '<p><b>techo</b>は<i>fetch</i>で読む。</p>',
          ['これは日本語のPDFです。', '温度は1200度、面積はm2とする。', 'techoはfetchで読む。'])
    weasy('ja-weasyprint-invoice', 'ja', 'table{width:100%}td:last-child{text-align:right}',
          table([['水車陶房', '請求書四七一一号'], ['粉屋町二番地', '令和八年五月三日']]) + f'<p>{a}</p>' + table(plain) +
          table([['', '合計', '6,300円']]),
          [['水車陶房', '請求書四七一一号'], ['粉屋町二番地', '令和八年五月三日'], a, *plain, ['合計', '6,300円']])
    style = ParagraphStyle('x', fontName='HeiseiMin-W3', fontSize=10, leading=14, wordWrap='CJK')
    frames('ja-reportlab-columns', [Paragraph(t, style) for t in two + [text('ja', 6, 6), text('ja', 7, 6)]],
           two + [text('ja', 6, 6), text('ja', 7, 6)])
    frames('ja-reportlab-table', [Paragraph(a, style), Table(
        [[Paragraph(x, style) for x in r] for r in wide], colWidths=[50, 120, 120, 60],
        style=[('LINEBELOW', (0, 0), (-1, -1), 0.5, colors.black), ('VALIGN', (0, 0), (-1, -1), 'TOP')])],
        [a, *wide], 1)
    fields = [('名前', '陶山花子'), ('番地', '粉屋町二番地'), ('町', '灰原')]
    form('ja-reportlab-form', fields, ['鉢', '茶碗'], '色', ['青', '緑'])
    chrome('ja-chromium-vertical', 'ja', 'body{writing-mode:vertical-rl;height:240mm}', f'<h1>縦書きの窯</h1><p>{a}</p>'
           f'<p>{b}</p>', ['縦書きの窯', a, b])
    three = [text('ja', n, 5) for n in range(11, 17)]
    chrome('ja-chromium-columns', 'ja', 'div{columns:3}', '<h1>陶工新聞</h1><div>' + ''.join(f'<p>{t}</p>' for t in three) +
           '</div>', ['陶工新聞', *three])
    chrome('ja-chromium-cells', 'ja', 'td{width:40mm;padding:6pt}', f'<p>{a}</p>{table(wide)}', [a, *wide])


english()
japanese()
