import type { Chunk } from '@millrace/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChunkQueue, type Delta, Piece } from './chunk-queue.ts'

const long = 'x'.repeat(256)
const providerMetadata = { acme: { cited: true } }

function delta(textDelta: string, fields: Partial<Delta> = {}): Delta {
  return { type: 'text-delta', id: 't', textDelta, ...fields } as Delta
}

/** The next units of it are decided, and these stand in their place. */
function decide(piece: Piece, units: number, out: string): void {
  const end = piece.decided + units
  if (out === piece.text.slice(piece.decided, end)) piece.pass(end)
  else {
    piece.insert(out)
    piece.skip(end)
  }
}

describe('a piece of a text', () => {
  test('that is left as it is goes out as the chunk it came in', () => {
    for (const chunk of [delta('Hello'), delta(long), delta('Hi', { providerMetadata })]) {
      const piece = new Piece(chunk)
      decide(piece, piece.text.length, piece.text)
      expect(piece.take()).toBe(chunk)
    }
  })

  test('that is changed goes out with what is left of it', () => {
    const piece = new Piece(delta('Hello'))
    decide(piece, 5, 'H***')
    expect(piece.take()).toEqual(delta('H***'))
    const input: Delta = { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"to":1}' }
    const other = new Piece(input)
    expect(other.text).toBe('{"to":1}')
    decide(other, 8, '{}')
    expect(other.take()).toEqual({ ...input, inputTextDelta: '{}' })
  })

  test('waits until it is decided, unless much of it is', () => {
    const piece = new Piece(delta(`${long}and more`))
    expect(piece.take()).toBeUndefined()
    decide(piece, 255, long.slice(0, 255))
    expect(piece.isDecided).toBe(false)
    expect(piece.take()).toBeUndefined()
    decide(piece, 1, 'x')
    expect(piece.take()).toEqual(delta(long))
    decide(piece, 8, 'and more')
    expect(piece.isDecided).toBe(true)
    expect(piece.take()).toEqual(delta('and more'))
  })

  test('of which nothing is left does not go out, unless its provider says something of it', () => {
    const piece = new Piece(delta('Hello'))
    decide(piece, 5, '')
    expect(piece.take()).toBeUndefined()
    const said = new Piece(delta('Hello', { providerMetadata }))
    decide(said, 5, '')
    expect(said.take()).toEqual(delta('', { providerMetadata }))
  })

  test('has what its provider says of it once, with the first of it', () => {
    const piece = new Piece(delta(`${long}more`, { providerMetadata }))
    decide(piece, 256, long)
    expect(piece.take()).toEqual(delta(long, { providerMetadata }))
    decide(piece, 4, 'more')
    const rest = piece.take()
    expect(rest).toEqual(delta('more'))
    expect(rest).not.toHaveProperty('providerMetadata')
    const empty = new Piece(delta(`${long}more`, { providerMetadata }))
    decide(empty, 256, long)
    empty.take()
    decide(empty, 4, '')
    expect(empty.take()).toBeUndefined()
  })
})

const source: Chunk = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' }

describe('a queue', () => {
  test('lets pass at once what nothing waits before', () => {
    const queue = new ChunkQueue()
    expect(queue.isEmpty).toBe(true)
    expect(queue.pass(source)).toBe(source)
    expect(queue.isEmpty).toBe(true)
  })

  test('keeps the order: what comes behind a piece waits for it', () => {
    const queue = new ChunkQueue()
    const piece = new Piece(delta('Hello'))
    queue.add(piece)
    expect(queue.isEmpty).toBe(false)
    expect(queue.pass(source)).toEqual([])
    decide(piece, 5, 'Bye')
    queue.decide()
    expect(queue.take()).toEqual([delta('Bye'), source])
    expect(queue.isEmpty).toBe(true)
  })

  test('gives what is decided of a long piece, and nothing behind it', () => {
    const queue = new ChunkQueue()
    const piece = new Piece(delta(`${long}more`))
    queue.add(piece)
    decide(piece, 256, long)
    expect(queue.pass(source)).toEqual([delta(long)])
    decide(piece, 4, 'more')
    queue.decide()
    expect(queue.take()).toEqual([delta('more'), source])
  })

  test.each(['text-start', 'text-end', 'reasoning-start', 'reasoning-end'] as const)(
    'gives a mark alone or last: %s',
    (type) => {
      const mark: Chunk = { type, id: 't' }
      const queue = new ChunkQueue()
      const first = new Piece(delta(`${long}more`))
      queue.add(first)
      decide(first, 256, long)
      // Others would stand in its place: it is held, and all that could go out waits with it.
      expect(queue.pass(mark)).toEqual([])
      decide(first, 4, 'more')
      queue.decide()
      expect(queue.pass(source)).toEqual([delta(`${long}more`), mark, source])
      const second = new Piece(delta('Bye'))
      decide(second, 3, 'By')
      queue.add(second)
      expect(queue.pass(mark)).toEqual([delta('By'), mark])
    },
  )

  test('loses nothing and keeps the order, whenever pieces are decided', () => {
    const entry = fc.oneof(
      fc.record({ text: fc.string({ maxLength: 3 }), long: fc.boolean() }),
      fc.constantFrom(source, { type: 'text-end', id: 't' } as const),
    )
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 20 }),
        fc.array(fc.nat(300), { maxLength: 40 }),
        (entries, steps) => {
          const queue = new ChunkQueue()
          const out: Chunk[] = []
          const open: Piece[] = []
          const decideNext = (most: number): void => {
            const [piece] = open
            if (!piece) return
            const units = Math.min(most, piece.text.length - piece.decided)
            decide(piece, units, piece.text.slice(piece.decided, piece.decided + units))
            if (!piece.isDecided) return
            open.shift()
            queue.decide()
          }
          for (const [index, each] of entries.entries()) {
            if ('type' in each) out.push(...[queue.pass(each)].flat())
            else {
              const piece = new Piece(delta(each.long ? `${long}${each.text}` : each.text))
              queue.add(piece)
              if (!piece.isDecided) open.push(piece)
            }
            decideNext(steps[index] ?? 0)
            if (index % 3 === 0) out.push(...queue.take())
          }
          while (open.length > 0) decideNext(1_000)
          out.push(...queue.take())
          expect(queue.isEmpty).toBe(true)
          const said = (chunk: Chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : `<${chunk.type}>`)
          const given = entries.map((each) =>
            'type' in each ? `<${each.type}>` : `${each.long ? long : ''}${each.text}`,
          )
          expect(out.map(said).join('')).toBe(given.join(''))
        },
      ),
    )
  })
})
