import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Detection, Scanner } from './index.ts'

const scanner = new Scanner([
  { type: 'badge', pattern: /(?<!\d)\d{6}(?!\d)/, score: 0.3, context: ['badge'] },
  {
    type: 'day',
    pattern: /(?<!\d)\d{4}-\d\d-\d\d/,
    score: (_, before) => (/hired[: ]*$/.test(before) ? 1 : 0),
  },
])

const rows = (count: number, row: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => row(index)).join('\n')

const far = 'a remark that is so long that the head of the table is not within sight any more'
const csv = `remark,badge,room\n${rows(4, (index) => `${far},12345${index},65432${index}`)}`

function found(pieces: readonly string[]): string[] {
  const out: string[] = []
  const scan = scanner.open({
    pass() {},
    cover() {},
    match: ({ type }: Detection, value) => out.push(`${type} ${value}`),
  })
  for (const piece of pieces) scan.push(piece)
  scan.end()
  return out
}

describe('a cell of a table', () => {
  test('is read with the name of its column, however far away that is', () => {
    expect(found([csv])).toEqual(['badge 123450', 'badge 123451', 'badge 123452', 'badge 123453'])
  })

  test.each([
    ['semicolons and quotation marks', `"id";"hired"\n"1";"2020-01-02"\n"2";"2021-03-04"`],
    ['tabs', 'id\thired\n1\t2020-01-02\n2\t2021-03-04'],
    ['Markdown', '| id | hired |\n|---|---|\n| 1 | 2020-01-02 |\n| 2 | 2021-03-04 |'],
  ])('with %s', (_, table) => {
    expect(found([`A list.\n\n${table}\n`])).toEqual(['day 2020-01-02', 'day 2021-03-04'])
  })

  test.each([
    ['behind the table', 'name,hired\nAnn,2021-03-04\n\nAnn, 2020-01-02'],
    ['within a longer cell', 'name,hired\nAnn,room 2020-01-02'],
    ['in another column', 'name,hired,left\nAnn,none,2020-01-02'],
    [
      'below a line of prose',
      `When were they hired, asked the person who was in charge of all that\nAnn, 2020-01-02`,
    ],
  ])('is none %s', (_, text) => {
    expect(found([text])).not.toContain('day 2020-01-02')
  })

  test('is none behind many spaces, however the text is cut', () => {
    const text = `badge,room\nx${' '.repeat(80)}123456,1`
    expect(found([text])).toEqual([])
    expect(found([...text])).toEqual([])
  })

  test('is the same however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(csv.length), { maxLength: 30 }), (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), csv.length]
        const pieces = places.slice(1).map((end, index) => csv.slice(places[index], end))
        expect(found(pieces)).toEqual(found([csv]))
      }),
    )
  })
})
