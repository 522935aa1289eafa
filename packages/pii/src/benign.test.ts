import { Scanner } from '@millrace/guards/scanner'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { piiRecognizers } from './recognizers.ts'

const numRuns = process.env.MILLRACE_THOROUGH === '1' ? 20_000 : 200

const date = '20[0-3][0-9]-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])'
const time = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]'
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

/** What applications write all day and is nobody's, by the expressions it is made from. */
const BENIGN: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  UUIDs: [uuid, `urn:uuid:${uuid}`, `user_${uuid}`, uuid.replaceAll('a-f', 'A-F').replace('ab', 'AB')],
  'other identifiers': [
    '01[0-9A-HJKMNP-TV-Z]{24}',
    '(?:req|cus|evt)_[0-9A-Za-z]{24}',
    '[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{3}[a-f]-[0-9a-f]{4}',
    'c[0-9a-z]{24}',
    'arn:aws:iam::[349][0-9]{11}:role/reader',
  ],
  hashes: [
    '[0-9a-f]{32}',
    '[0-9a-f]{40}',
    'sha256:[0-9a-f]{64}',
    'commit [0-9a-f]{7,8}',
    'sha512-(?:[A-Za-z+][0-9A-Za-z]{3}){21}Aa==',
    '(?:[0-9a-f]{2}:){19}[0-9a-f]{2}',
    '00-[0-9a-f]{32}-[0-9a-f]{16}-01',
  ],
  times: [
    `${date}T${time}\\.[0-9]{3}Z`,
    `${date}T${time}\\+0[0-9]:00`,
    `${date} ${time},[0-9]{3}`,
    '17[0-9]{8}',
    '17[0-9]{11}',
    '17[0-9]{8}\\.[0-9]{6}',
    '20[0-2][0-9][01][0-9][0-2][0-9]T[0-2][0-9](?:[0-5][0-9]){2}Z',
    `${time} - ${time}`,
  ],
  versions: ['v[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{1,4}', 'Chrome/1[0-4][0-9]\\.0\\.[0-9]{4}\\.[0-9]{1,3}'],
  amounts: [
    '\\$[1-9][0-9]{0,2},[0-9]{3}\\.[0-9]{2}',
    '[1-9][0-9]{0,2}\\.[0-9]{3}\\.[0-9]{3},[0-9]{2} €',
    '[1-9][0-9]? [0-9]{3} [0-9]{3} kr',
    '₹[1-9][0-9],[0-9]{2},[0-9]{3}',
    '-?[1-9][0-9]?\\.[0-9]{6}, -?1[0-7][0-9]\\.[0-9]{6}',
    '0\\.[1-9][0-9]{15}',
    '[0-9]{1,2}\\.[0-9]{4}%',
    '[1-9][0-9]{8} bytes',
  ],
  'orders and invoices': [
    'order #[1-9][0-9]{5,9}',
    'ORD-20[0-9]{2}-[0-9]{6}',
    'PO[0-9]{8}',
    'INV-[0-9]{4}-[0-9]{5}',
    'Invoice No\\. [1-9][0-9]{7}',
    'Order [1-9][0-9]{2}-[0-9]{7}-[0-9]{7}',
    'FedEx [1-9][0-9]{3} [0-9]{4} [1-9][0-9]{3}',
  ],
  books: [
    '978-[0-9]-[0-9]{4}-[0-9]{4}-[0-9]',
    'ISBN [0-9]-[0-9]{3}-[0-9]{5}-[0-9X]',
    'doi:10\\.[1-9][0-9]{3}/[0-9]{5}\\.[0-9]{4}',
    'arXiv:[0-9]{4}\\.[0-9]{5}',
  ],
  goods: [
    '[A-Z]{3}-[0-9]{4}-[A-Z]{2}',
    'B0[0-9][A-Z][0-9A-Z]{6}',
    'CAS [1-9][0-9]{2,6}-[0-9]{2}-[0-9]',
    'KB[0-9]{7}',
  ],
  code: [
    'at Object\\.run \\(/app/index\\.[0-9]{1,4}\\.js:[0-9]{1,4}:[0-9]{1,2}\\)',
    '0x00007f[0-9a-f]{10}',
    'rgb\\([0-9]{1,3}, [0-9]{1,3}, [0-9]{1,3}\\)',
    'CVE-20[0-2][0-9]-[0-9]{5}',
    'goroutine [0-9]{1,4} \\[running\\]: main\\.go:[0-9]{1,3} \\+0x[0-9a-f]{2}',
  ],
  files: [
    '/var/log/app-20[0-2][0-9][01][0-9][0-2][0-9]-[0-9]{6}\\.log',
    's3://files/2024/[0-9]{10}-[0-9a-f]{12}\\.parquet',
    'https://example\\.com/p/[a-z]{6}-[1-9][0-9]{9}\\.html',
  ],
  tables: [
    '[1-9][0-9]{4}(?:\\t[1-9][0-9]{4}){5}',
    '[1-9][0-9]{0,4}(?:, [1-9][0-9]{0,4}){7}',
    '[1-9][0-9]{2}(?: [1-9][0-9]{2}){3}',
    '[1-9][0-9]{3}/[0-9]{4}',
    'pp\\. [1-9][0-9]{2}–[1-9][0-9]{2}',
  ],
}

const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `See ${text} for details.`,
  (text) => `key=${text}`,
  (text) => `{"key":"${text}"}`,
  (text) => `The value is ${text}, as before.`,
]

test.each(Object.entries(BENIGN))('takes no part of %s for somebody’s', async (_, expressions) => {
  const scanner = new Scanner(await piiRecognizers())
  const texts = fc.oneof(...expressions.map((each) => fc.stringMatching(new RegExp(`^(?:${each})$`))))
  fc.assert(
    fc.property(texts, fc.constantFrom(...FRAMES), (text, frame) => {
      const found = scanner.detect(frame(text))
      expect(found.map(({ type, start, end }) => `${type}: ${frame(text).slice(start, end)}`)).toEqual([])
    }),
    { numRuns },
  )
})
