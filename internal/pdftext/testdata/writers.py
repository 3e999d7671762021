"""Makes sixty PDFs by twelve writers in FOLDER and compares the text that techo reads with that of
pdftotext: the share of pdftotext's words that techo has, and, where a page has two columns, the share
of the words as written that are in their order.

    apt-get install poppler-utils ghostscript groff qpdf chromium librsvg2-bin libreoffice-writer-nogui \\
        libreoffice-calc-nogui libreoffice-impress-nogui texlive-latex-recommended texlive-pictures \\
        texlive-fonts-recommended lmodern fonts-dejavu-core fonts-ipafont-gothic
    python3 -m venv v && v/bin/pip install weasyprint reportlab pypdf[crypto] fpdf2 typst
    v/bin/python writers.py TECHO FOLDER

A writer that is not installed is left out, and named.
"""
import collections
import difflib
import os
import re
import shutil
import subprocess
import sys
import unicodedata

TECHO, OUT = sys.argv[1], sys.argv[2]
os.makedirs(OUT, exist_ok=True)
DEJAVU = '/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf'

EN = ['The keeper of light {n} wrote down {m} ships before noon.', 'Fog came in week {n}, and the horn blew for {m} hours.',
      'Nobody knew why lamp {n} went out, but the glass was warm.', 'Boat {n} carried oil, rope and {m} letters to the cape.',
      'A path of {m} steps leads from house {n} to the water.', 'In year {n} the tower was painted white again.']
JA = ['灯台守は{n}番の灯りの下で{m}隻の船を書き留めた。', '{n}週目に霧が出て、霧笛が{m}時間鳴った。',
      '{n}番のランプが消えた理由は誰も知らないが、硝子は温かかった。', '小舟{n}号は油と縄と{m}通の手紙を岬へ運んだ。']


def prose(number, size=6, lines=EN):
    """Returns a paragraph whose numbers occur nowhere else."""
    join = ' ' if lines is EN else ''
    return join.join(lines[(number + i) % len(lines)].format(n=number * 100 + i, m=number * 7 + i + 30) for i in range(size))


PLAIN = [prose(n) for n in range(1, 9)]
TWO = [prose(n, 8) for n in range(11, 19)]  # in two columns
JAPANESE = [prose(n, 5, JA) for n in range(21, 27)]
ROWS = [['Item', 'Height', 'Keeper', 'Price'], ['Lamp', '12 m', 'Ada Potter', '1,250'], ['Horn', '3 m', 'Ben Müller', '980'],
        ['Boat', '1.5 m', 'Chloé Durand', '4,100'], ['Rope', '40 m', 'Đorđe Žic', '75']]
WORDS = ['Straße, naïve café, Ærø and smørrebrød; “quoted” – it’s 25 €.', 'Маяк построили за три лета.',
         'Ο φάρος χτίστηκε το 1850.', 'efficient fluffy offices in Łódź']

truths = {}  # what is written in two columns


def path(name):
    return os.path.join(OUT, name + '.pdf')


def run(*command, **more):
    subprocess.run(command, check=True, stdout=more.pop('stdout', subprocess.DEVNULL), stderr=subprocess.DEVNULL, **more)


def pages():
    """Returns the documents as HTML, by name."""
    def p(texts):
        return ''.join(f'<p>{t}</p>' for t in texts)
    table = '<table border=1>' + ''.join('<tr>' + ''.join(f'<td>{c}</td>' for c in r) + '</tr>' for r in ROWS) + '</table>'
    return {'plain': ('en', '<h1>The light on the cape</h1>' + p(PLAIN)),
            'two': ('en', '<h1>The light on the cape</h1><div style="columns:2;column-gap:8mm">' + p(TWO) + '</div>'),
            'table': ('en', p(PLAIN[:2]) + table + '<ol><li>' + '<li>'.join(PLAIN[2:4]) + '</ol>'),
            'words': ('en', p(WORDS) + '<p>H<sub>2</sub>O and m<sup>2</sup>, <a href="https://cape.example/a?b=1">a link</a></p>'),
            'japanese': ('ja', '<h1>岬の灯台</h1>' + p(JAPANESE))}


def html(lang, body):
    font = 'DejaVu Serif' if lang == 'en' else 'IPAPGothic'
    return (f'<!DOCTYPE html><html lang={lang}><meta charset=utf-8><title>x</title><style>body{{font:11pt/1.4 "{font}"}}'
            f'@page{{size:A4;margin:20mm}}</style>{body}')


def chromium():
    for name, (lang, body) in pages().items():
        source = os.path.join(OUT, 'page.html')
        with open(source, 'w') as f:
            f.write(html(lang, body))
        run('chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer',
            '--print-to-pdf=' + path('chromium-' + name), source)


def weasyprint():
    import weasyprint as w
    for name, (lang, body) in pages().items():
        w.HTML(string=html(lang, body)).write_pdf(path('weasyprint-' + name))


def libreoffice():
    def convert(source, name):
        run('soffice', '--headless', '-env:UserInstallation=file://' + os.path.abspath(OUT) + '/profile', '--convert-to', 'pdf',
            '--outdir', OUT, source)
        os.replace(os.path.splitext(source)[0] + '.pdf', path('libreoffice-' + name))
    for name, (lang, body) in pages().items():
        if name == 'two':
            continue
        source = os.path.join(OUT, 'page.html')
        with open(source, 'w') as f:
            f.write(html(lang, body))
        convert(source, name)
    source = os.path.join(OUT, 'sheet.csv')
    with open(source, 'w') as f:
        f.writelines(';'.join(r) + '\n' for r in ROWS * 20)
    convert(source, 'sheet')


def latex():
    table = r'\begin{tabular}{|l|r|l|r|}\hline ' + r' \\ \hline '.join(' & '.join(r) for r in ROWS[:3]) + r' \\ \hline\end{tabular}'
    head = r'\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{lmodern}'
    for name, kind, packages, body in [
            ('plain', r'\documentclass{article}', '', r'\section{The light}' + '\n\n'.join(PLAIN)),
            ('two', r'\documentclass[twocolumn]{article}', head, r'\section{The light}' + '\n\n'.join(TWO * 1)),
            ('table', r'\documentclass{report}', head, PLAIN[0] + '\n\n' + table + '\n\n' + PLAIN[1]),
            ('words', r'\documentclass{article}', head + r'\usepackage{hyperref}', 'Straße, naïve café, smørrebrød; efficient fluffy '
             r'offices.\footnote{' + PLAIN[2] + r'} See \href{https://cape.example/a}{a link} and $E=mc^2$, '
             r'$\sum_{i=1}^n \alpha_i$. \begin{itemize}\item ' + r'\item '.join(PLAIN[3:6]) + r'\end{itemize}'),
            ('slides', r'\documentclass{beamer}', head, r'\begin{frame}{Lamps}' + PLAIN[0] + r'\end{frame}\begin{frame}{Oil}'
             r'\begin{itemize}\item ' + PLAIN[1] + r'\item ' + PLAIN[2] + r'\end{itemize}\end{frame}')]:
        with open(os.path.join(OUT, 'doc.tex'), 'w') as f:
            f.write(kind + packages + r'\begin{document}' + body + r'\end{document}')
        for _ in range(2):
            run('pdflatex', '-interaction=nonstopmode', 'doc.tex', cwd=OUT)
        os.replace(os.path.join(OUT, 'doc.pdf'), path('latex-' + name))


def groff():
    rows = '\n'.join(';'.join(r) for r in ROWS[:3])
    text = '\n.PP\n'
    for name, source in [('plain', '.TL\nThe light\n.PP\n' + text.join(PLAIN)), ('two', '.2C\n.PP\n' + text.join(TWO)),
                         ('table', f'.PP\n{PLAIN[0]}\n.TS\nallbox tab(;);\nl r l r.\n{rows}\n.TE\n.PP\n{PLAIN[1]}'),
                         ('words', '.PP\nefficient fluffy offices, naïve café\n.FS\n' + PLAIN[2] + '\n.FE\n.IP 1.\n' + PLAIN[3]),
                         ('manual', '.SH NAME\nlamp \\- shine\n.SH OPTIONS\n.IP "\\-\\-bright N"\n' + PLAIN[4] + '\n' + PLAIN[5])]:
        with open(path('groff-' + name), 'wb') as f:
            run('groff', '-Kutf8', '-Tpdf', '-ms', '-t', input=source.encode() + b'\n', stdout=f)


def typst():
    import typst as t
    cells = ', '.join(f'[{c}]' for r in ROWS for c in r)
    for name, source in [('plain', '= The light\n' + '\n\n'.join(PLAIN)), ('two', '#columns(2)[\n' + '\n\n'.join(TWO) + '\n]'),
                         ('table', f'{PLAIN[0]}\n#table(columns: 4, {cells})\n{PLAIN[1]}'),
                         ('words', '\n\n'.join(WORDS) + '\n\n$ sum_(i=1)^n alpha_i $ #link("https://cape.example")[a link]'),
                         ('japanese', '#set text(font: "IPAPGothic")\n= 岬の灯台\n' + '\n\n'.join(JAPANESE))]:
        source_at = os.path.join(OUT, 'doc.typ')
        with open(source_at, 'w') as f:
            f.write(source)
        t.compile(source_at, output=path('typst-' + name))


def reportlab():
    from reportlab.lib import colors, pdfencrypt
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table
    pdfmetrics.registerFont(UnicodeCIDFont('HeiseiKakuGo-W5'))
    pdfmetrics.registerFont(TTFont('DejaVu', DEJAVU))

    def style(font, **more):
        return ParagraphStyle(font, fontName=font, fontSize=11, leading=15, spaceAfter=8, **more)

    def build(name, story, columns=1, **more):
        d = BaseDocTemplate(path('reportlab-' + name), pagesize=A4, **more)
        width = 480 / columns
        d.addPageTemplates(PageTemplate(frames=[Frame(60 + i * width, 60, width - 12, 700) for i in range(columns)]))
        d.build(story)
    times = style('Times-Roman')
    build('plain', [Paragraph(t, times) for t in PLAIN])
    build('two', [Paragraph(t, times) for t in TWO * 1], 2)
    build('table', [Paragraph(PLAIN[0], times), Table(ROWS, style=[('GRID', (0, 0), (-1, -1), 0.5, colors.black),
                                                                   ('FONT', (0, 0), (-1, -1), 'DejaVu')])])
    build('words', [Paragraph(t, style('DejaVu')) for t in WORDS], encrypt=pdfencrypt.StandardEncryption('', 'o', strength=128))
    build('japanese', [Paragraph(t, style('HeiseiKakuGo-W5', wordWrap='CJK')) for t in JAPANESE])


def fpdf2():
    from fpdf import FPDF

    def document(font='Times'):
        d = FPDF()
        d.add_page()
        if font != 'Times':
            d.add_font('x', fname=font)
        d.set_font('x' if font != 'Times' else font, size=11)
        return d
    d = document()
    for t in PLAIN:
        d.multi_cell(0, 6, t, new_x='LMARGIN', new_y='NEXT')
    d.output(path('fpdf2-plain'))
    d = document()
    with d.text_columns(ncols=2, gutter=10, text_align='L') as columns:
        for t in TWO:
            columns.write(t + '\n\n')
    d.output(path('fpdf2-two'))
    d = document(DEJAVU)
    with d.table(first_row_as_headings=False) as table:
        for r in ROWS:
            row = table.row()
            for c in r:
                row.cell(c)
    d.output(path('fpdf2-table'))
    d = document(DEJAVU)
    for t in WORDS:
        d.multi_cell(0, 6, t, new_x='LMARGIN', new_y='NEXT')
    d.output(path('fpdf2-words'))
    d = document('/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf')
    for t in JAPANESE:
        d.multi_cell(0, 6, t, new_x='LMARGIN', new_y='NEXT')
    d.output(path('fpdf2-japanese'))


def cairo():
    def svg(texts, font='DejaVu Serif'):
        """texts are (x, y, text, attributes)."""
        return ('<svg xmlns="http://www.w3.org/2000/svg" width="800" height="1100">' + ''.join(
            f'<text x="{x}" y="{y}" font-family="{font}" font-size="12" {more}>{t}</text>' for x, y, t, more in texts) + '</svg>')

    def lines(texts, x, size):
        words, all_lines = ' '.join(texts).split(), []
        while words:
            line = ''
            while words and len(line) + len(words[0]) < size:
                line += words.pop(0) + ' '
            all_lines.append(line.strip())
        return [(x, 60 + 18 * i, line, '') for i, line in enumerate(all_lines)]
    table = [(60 + 150 * i, 60 + 24 * k, c, '') for k, r in enumerate(ROWS) for i, c in enumerate(r)]
    for name, source in [('plain', svg(lines(PLAIN, 60, 90))),
                         ('two', svg(lines(TWO[:4], 40, 48) + lines(TWO[4:], 420, 48))), ('table', svg(table)),
                         ('words', svg([(60, 60 + 30 * i, t, 'font-weight="bold"' if i % 2 else '') for i, t in enumerate(WORDS)])),
                         ('japanese', svg([(60, 60 + 24 * i, t[:50], '') for i, t in enumerate(JAPANESE)], 'IPAPGothic'))]:
        run('rsvg-convert', '-f', 'pdf', '-o', path('cairo-' + name), input=source.encode())


def made(*names):
    """Returns what earlier writers made, to be processed."""
    return [n for n in names if os.path.exists(path(n))]


def ghostscript():
    for name, *more in [('latex-two', ), ('chromium-table', ), ('weasyprint-japanese', ), ('reportlab-plain', '-dCompatibilityLevel=1.3'),
                        ('typst-words', '-dPDFSETTINGS=/screen')]:
        for name in made(name):
            run('gs', '-q', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite', *more, '-sOutputFile=' + path('ghostscript-' + name), path(name))


def qpdf():
    for name, *more in [('latex-two', '--linearize'), ('chromium-plain', '--object-streams=generate'),
                        ('typst-table', '--encrypt', '', 'o', '256', '--'), ('weasyprint-words', '--qdf'),
                        ('reportlab-japanese', '--recompress-flate', '--compression-level=9', '--object-streams=disable')]:
        for name in made(name):
            run('qpdf', *more, path(name), path('qpdf-' + name))


def pypdf():
    import pypdf as p
    for name in made('latex-plain'):
        w = p.PdfWriter()
        for source in made('latex-plain', 'chromium-table', 'groff-two'):
            w.append(path(source))
        w.write(path('pypdf-merged'))
        w = p.PdfWriter(clone_from=path(name))
        w.encrypt('', 'o', algorithm='AES-256-R5')
        w.write(path('pypdf-encrypted'))
        w = p.PdfWriter(clone_from=path(name))
        for page in w.pages:
            page.rotate(90)
        w.write(path('pypdf-rotated'))
        w = p.PdfWriter(clone_from=path('weasyprint-table'))
        for page in w.pages:
            page.scale_by(0.5)
            page.compress_content_streams()
        w.write(path('pypdf-scaled'))
        w = p.PdfWriter()
        both = w.add_blank_page(width=1190, height=842)
        for i, page in enumerate(p.PdfReader(path(source)).pages[0] for source in ('typst-plain', 'groff-plain')):
            both.merge_transformed_page(page, p.Transformation().translate(595 * i, 0))
        w.write(path('pypdf-two-up'))


def tokens(text):
    """Returns words, and each wide character. A word divided at the end of a line is one."""
    text = re.sub(r'[-\u00ad\u2010]\n\s*', '', unicodedata.normalize('NFKC', text))
    return re.findall(r'[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff]+', text)


def text_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def compare():
    names = sorted(n[:-4] for n in os.listdir(OUT) if n.endswith('.pdf'))
    refused, below, sums, columns = [], [], [0, 0], []
    for name in names:
        peer, ours = text_of('pdftotext', '-q', path(name), '-'), text_of(
            TECHO, '--store', os.path.join(OUT, 'store'), '-o', 'text', 'fs', 'read', path(name), '--limit', '100000')
        if peer is None or not tokens(peer):
            print(f'{name}: pdftotext reads nothing')
            continue
        if ours is None:
            refused.append(name)
            continue
        ours = '\n'.join(re.sub(r'^ *\d+\t', '', line) for line in ours.split('\n') if not re.match(r'( *\d+\t)?--- page ', line))
        a, b = tokens(peer), tokens(ours)
        shared = sum((collections.Counter(a) & collections.Counter(b)).values())
        sums[0], sums[1] = sums[0] + shared, sums[1] + len(a)
        if shared < 0.98 * len(a):
            missing = list((collections.Counter(a) - collections.Counter(b)).elements())
            below.append(f'{name}: {shared / len(a):.3f}, without {missing[:8]}')
        if name.endswith('-two'):
            want = tokens('\n'.join(TWO))
            matched = difflib.SequenceMatcher(None, want, b, autojunk=False).get_matching_blocks()
            columns.append((name, sum(m.size for m in matched) / len(want)))
    writers = sorted({n.split('-')[0] for n in names})
    print(f'{len(names)} PDFs by {len(writers)} writers: {" ".join(writers)}')
    print(f'words beside pdftotext: {sums[0] / sums[1]:.4f}; below .98: {len(below)}; refused: {len(refused)} {refused}')
    print('\n'.join(below))
    print('two columns in order: ' + ', '.join(f'{n} {share:.3f}' for n, share in columns))


for writer in (chromium, weasyprint, libreoffice, latex, groff, typst, reportlab, fpdf2, cairo, ghostscript, qpdf, pypdf):
    try:
        writer()
    except (ImportError, FileNotFoundError) as e:
        print(f'left out: {writer.__name__}: {e}')
shutil.rmtree(os.path.join(OUT, 'profile'), ignore_errors=True)
compare()
