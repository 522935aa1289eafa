import type { TextPass } from './text-pass.ts'

/** Characters whose normalized form is a quotation mark or a backslash, which must be escaped in JSON. */
const DANGEROUS: Record<string, string> = { '\uff02': '\\"', '\uff3c': '\\\\', '\ufe68': '\\\\' }

const PIECE = /\\(?:u([\da-fA-F]{4})|[\s\S])|[\uff02\uff3c\ufe68]/g
const OPEN_ESCAPE = /(?<!\\)(?:\\\\)*(\\(?:u[\da-fA-F]{0,3})?)$/

/** Unescapes characters outside of ASCII in the strings of a JSON text, so that they can be normalized. */
export function resolveEscapes(): TextPass {
  let pending = ''
  const resolve = (text: string): string =>
    text.replace(PIECE, (piece, hex?: string) => {
      if (hex === undefined) return DANGEROUS[piece] ?? piece
      const character = String.fromCharCode(Number.parseInt(hex, 16))
      return character <= '\x7f' ? piece : (DANGEROUS[character] ?? character)
    })
  return {
    push(piece) {
      const text = pending + piece
      const open = OPEN_ESCAPE.exec(text)?.[1] ?? ''
      pending = open
      return resolve(text.slice(0, text.length - open.length))
    },
    end() {
      return resolve(pending)
    },
  }
}
