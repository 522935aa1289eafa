import type { PatternRecognizer } from '@millrace/guards/scanner'
import { evidence, isBehindGroup } from './evidence.ts'

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}`

/** IP addresses and networks: IPv4 (RFC 791), IPv6 (RFC 4291), prefixes (RFC 4632). */
export const ip: PatternRecognizer[] = [
  {
    type: 'ip_address',
    id: 'ipv4',
    // A period after it ends the sentence. More numbers make it an object identifier or a section number.
    pattern: new RegExp(
      `(?<![\\d_.])${IPV4}(?:(?:/(?:[12]?\\d|3[0-2]))|(?:\\.\\d{1,5}){1,12})?(?:\\.(?!\\w)|(?![\\w.]))`,
    ),
    score: (candidate, before) =>
      !mayBegin(before)
        ? 0
        : NUMBERED.test(before) || (GOES_ON.test(candidate) && /^[1-3]?\d\./.test(candidate))
          ? 0.3
          : 0.9,
    part: (match) => [0, ADDRESS.exec(match)?.[0].length ?? match.length],
    context: ['ip', 'address', 'host', 'server', 'client'],
  },
  {
    type: 'ip_address',
    id: 'ipv6',
    // A period after it ends the sentence, unless more digits follow.
    pattern: new RegExp(
      `(?<!\\w)(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{0,4}|${IPV4})(?:/\\d{1,3})?(?:\\.(?!\\w)|(?![\\w:.]))`,
    ),
    score: (candidate, before) =>
      isBehindGroup(before) || (/:$/.test(before) && candidate.startsWith(':'))
        ? 0
        : scoreIPv6(candidate.replace(/\.$/, '')),
    part: (match) => [0, match.endsWith('.') ? match.length - 1 : match.length],
  },
]

/** Text before a version, a section number or an object identifier. */
const NUMBERED =
  /(?:(?:\b|(?<=[a-z_]))(?:version|release|firmware)|\b(?:build|revision|rev|v|\.?net|ios|ipados|android|macos|windows|driver|kernel|bios|sdk|patch|oid|urn:oid|(?:sub)?section|clause|chapter|article|paragraph|para|part|item|rule|annex|appendix|table|figure|abschnitt|kapitel|absatz|ziffer|artikel|fassung|anhang|chapitre|sección|seccion|cap[ií]tulo|cl[aá]usula|art[ií]culo|versi[oó]n|versione|sezione|capitolo|clausola|articolo|wersja|rozdział|punkt|pkt|art|sec|ch|cl|nr|no)s?|верси[яию]|релиз|сборка|прошивка|раздел|пункт|глав[аы]|стать[яи]|版本号?|版號?|固件|バージョン|バージョン番号|第|버전|펌웨어|(?:ال)?إصدار(?: رقم)?|نسخة|النسخة|wersj[ai]|wersję|versie|sürüm[üu]?|version:? ?n[°º])["'’]?[ .:=#(]{0,3}["'‘]?$|[§¶] ?$|==$|[a-z][-/]$/iu

/** After a letter only if that ends `IP`, as where spaces are omitted. */
function mayBegin(before: string): boolean {
  return !/[a-z]$/i.test(before) || /(?<![a-z])ip(?:v4)?$/i.test(before)
}

const ADDRESS = /^\d+(?:\.\d+){3}(?:\/\d+)?/
const GOES_ON = /^(?:\d+\.){4}\d/

function scoreIPv6(text: string): number {
  const [address = '', prefix] = text.split('/')
  if (Number(prefix ?? 0) > 128) return 0
  const halves = address.replace(/(?:\d+\.){3}\d+$/, '0:0').split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (halves.length > 2 || groups.includes('')) return 0
  if (halves.length === 1 ? groups.length !== 8 : groups.length > 7) return 0
  // `::` alone is an operator, and `a::b` a name, in many programming languages.
  return prefix !== undefined || /\d/.test(address) || groups.length > 3 ? 0.9 : evidence.format
}
