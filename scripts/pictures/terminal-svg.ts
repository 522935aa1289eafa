import { stripVTControlCharacters } from 'node:util'

/** The supported escape sequences: font weights and colors, by CSS class. */
const CLASSES: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '31': 'red',
  '33': 'yellow',
  '36': 'cyan',
}
const ENDS: Readonly<Record<string, readonly string[]>> = {
  '22': ['bold', 'dim'],
  '39': ['red', 'yellow', 'cyan'],
}

const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6e6e9;white-space:pre}.bold{font-weight:700;fill:#fff}.dim{fill:#a0a3ad}.red{fill:#ff8f87}.yellow{fill:#f2cc60}.cyan{fill:#76e3ea}`

const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[([0-9;]*)m`)

const CHARACTER = 8.43
const LINE = 19
const MARGIN = 18

/**
 * Draws the output of a program as a terminal, which is dark in both themes.
 *
 * @throws Error for an unknown escape sequence
 */
export function terminalSvg(output: string, { title }: { title: string }): string {
  const lines = output.split('\n')
  const on = new Set<string>()
  const rows = lines.map((line, index) => {
    const pieces = line.split(SEQUENCE)
    const spans = pieces.map((piece, place) => {
      if (place % 2 === 1) {
        switchStyle(on, piece)
        return ''
      }
      if (piece === '') return ''
      const text = escaped(piece)
      return on.size === 0 ? text : `<tspan class="${[...on].join(' ')}">${text}</tspan>`
    })
    return `<text x="${MARGIN}" y="${MARGIN + LINE * index + 14}">${spans.join('')}</text>`
  })
  const plain = lines.map((line) => stripVTControlCharacters(line))
  const width = Math.ceil(Math.max(...plain.map((line) => line.length)) * CHARACTER + 2 * MARGIN)
  const height = lines.length * LINE + 2 * MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<rect width="${width}" height="${height}" rx="10" fill="#1b1c20"/>
${rows.join('\n')}
</svg>
`
}

function switchStyle(on: Set<string>, code: string): void {
  const begins = CLASSES[code]
  const ends = ENDS[code]
  if (begins !== undefined) on.add(begins)
  else if (ends !== undefined) for (const name of ends) on.delete(name)
  else throw new Error(`The escape sequence '${code}' is unknown. Add its style to terminal-svg.ts.`)
}

function escaped(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Error(`The text has a control character: ${JSON.stringify(text)}.`)
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
