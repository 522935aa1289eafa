import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChunkQueue, type Delta, type Passed } from './chunk-queue.ts'
import type { OpenText } from './inspector.ts'
import { JoinedText } from './joined-text.ts'
import { perform, SLICE } from './task.ts'
import type { TextEdits } from './text-edits.ts'
import { hashOf } from './text-hash.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : process.env.MILLRACE_MUTATION === '1' ? 40 : 300

/** Puts `#` in the place of every `ab`, and holds an `a` until it knows what follows. */
class Hider implements OpenText {
  /** What it has been given, with `|` between parts. */
  seen = ''
  readonly pieces: number[] = []
  isEnded = false
  #held = ''
  readonly #edits: TextEdits
  readonly #isSlow: boolean

  constructor(edits: TextEdits, isSlow: boolean) {
    this.#edits = edits
    this.#isSlow = isSlow
  }

  push(piece: string): Promise<void> | undefined {
    this.seen += piece
    this.pieces.push(piece.length)
    return this.#later(() => this.#take(piece))
  }

  nextPart(): void {
    this.seen += '|'
  }

  end(): Promise<void> | undefined {
    return this.#later(() => {
      this.isEnded = true
      if (this.#held !== '') this.#edits.pass(this.#held.length)
      this.#held = ''
    })
  }

  #later(work: () => void): Promise<void> | undefined {
    if (this.#isSlow) return Promise.resolve().then(work)
    work()
    return undefined
  }

  #take(piece: string): void {
    let text = this.#held + piece
    for (let at = text.indexOf('ab'); at !== -1; at = text.indexOf('ab')) {
      if (at > 0) this.#edits.pass(at)
      this.#edits.insert('#')
      this.#edits.skip(2)
      text = text.slice(at + 2)
    }
    this.#held = text.endsWith('a') ? 'a' : ''
    const passed = text.length - this.#held.length
    if (passed > 0) this.#edits.pass(passed)
  }
}

interface Options {
  isSlow?: boolean
  observes?: boolean
  filters?: boolean
}

/** A text under inspection, and all that came out of it. */
class Scene {
  readonly queue = new ChunkQueue()
  readonly out: Delta[] = []
  readonly text: JoinedText
  hider!: Hider

  constructor({ isSlow = false, observes = false, filters = false }: Options = {}) {
    const open = (edits: TextEdits): OpenText => {
      this.hider = new Hider(edits, isSlow)
      return this.hider
    }
    this.text = new JoinedText({ queue: this.queue, open, observes, filters })
  }

  async delta(id: string, textDelta: string): Promise<Passed> {
    const passed = await this.text.delta({ type: 'text-delta', id, textDelta }, id)
    this.out.push(...([passed].flat() as Delta[]))
    return passed
  }

  async end(id: string): Promise<void> {
    await perform(this.text.end(id))
    this.#take()
  }

  async finish(): Promise<void> {
    await perform(this.text.finish())
    this.#take()
  }

  #take(): void {
    this.out.push(...(this.queue.take() as Delta[]))
  }

  /** What a reader has of a part, or of all. */
  read(id?: string): string {
    const own = this.out.filter((chunk) => id === undefined || ('id' in chunk && chunk.id === id))
    return own.map((chunk) => (chunk.type === 'tool-input-delta' ? '' : chunk.textDelta)).join('')
  }
}

describe.each([false, true])('with an answer that comes later: %s', (isSlow) => {
  test('what is found is replaced, however the text is cut', async () => {
    for (const pieces of [['xabyab'], ['xa', 'bya', 'b'], [...'xabyab']]) {
      const scene = new Scene({ isSlow })
      scene.text.start('t')
      for (const piece of pieces) await scene.delta('t', piece)
      await scene.finish()
      expect(scene.read()).toBe('x#y#')
      expect(scene.hider.seen).toBe('xabyab')
      expect(scene.hider.isEnded).toBe(true)
      expect(scene.text.key).toBe(hashOf('x#y#'))
    }
  })

  test('what is undecided at the end goes out then', async () => {
    const scene = new Scene({ isSlow })
    await scene.delta('t', 'xa')
    expect(scene.read()).toBe('')
    await scene.finish()
    expect(scene.read()).toBe('xa')
    expect(scene.queue.isEmpty).toBe(true)
  })

  test('parts are one text, in the order in which they begin, and each keeps its own', async () => {
    const event = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ id: fc.nat(2), text: fc.constantFrom('a', 'b', 'x', 'ab', 'xa', 'bx', '') }),
      },
      fc.record({ ends: fc.nat(2) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), fc.boolean(), async (events, filters) => {
        const scene = new Scene({ isSlow, filters })
        const parts: { id: string; text: string; isEnded: boolean }[] = []
        for (const each of events) {
          if ('ends' in each) {
            const part = parts.find(({ id, isEnded }) => id === `${each.ends}` && !isEnded)
            if (part) part.isEnded = true
            await scene.end(`${each.ends}`)
            continue
          }
          let part = parts.find(({ id, isEnded }) => id === `${each.id}` && !isEnded)
          if (!part) {
            part = { id: `${each.id}`, text: '', isEnded: false }
            parts.push(part)
            scene.text.start(part.id)
          }
          part.text += each.text
          await scene.delta(part.id, each.text)
        }
        await scene.finish()
        const left = leftOf(
          parts.map(({ text }) => text),
          filters,
        )
        for (const id of ['0', '1', '2']) {
          expect(scene.read(id)).toBe(left.filter((_, index) => parts[index]?.id === id).join(''))
        }
        const given = parts.map(({ text }) => text).filter((text) => text !== '')
        expect(scene.hider.seen).toBe(given.join('|'))
        expect(scene.text.key).toBe(hashOf(left.join('')))
        expect(scene.queue.isEmpty).toBe(true)
        if (!filters) return
        expect(scene.text.parts.map(({ hash }) => hash.key)).toEqual(left.map((text) => hashOf(text)))
        expect(scene.text.parts.map(({ isRemoved }) => isRemoved)).toEqual(
          left.map((text, index) => text !== parts[index]?.text),
        )
      }),
      { numRuns: runs },
    )
  })

  test('a guard that only looks holds nothing back, and sees the parts in order', async () => {
    const scene = new Scene({ isSlow, observes: true })
    scene.text.start('1')
    scene.text.start('2')
    for (const [id, piece] of [
      ['2', 'late'],
      ['1', 'xa'],
      ['2', 'r'],
      ['1', 'b'],
    ] as const) {
      const passed = await scene.delta(id, piece)
      expect(passed).toEqual({ type: 'text-delta', id, textDelta: piece })
    }
    expect(scene.hider.seen).toBe('xab')
    await scene.end('1')
    expect(scene.hider.seen).toBe('xab|later')
    await scene.delta('2', '!')
    expect(scene.hider.seen).toBe('xab|later!')
    await scene.finish()
    expect(scene.read()).toBe('latexarb!')
  })

  test('a long piece is given in slices', async () => {
    for (const observes of [false, true]) {
      const scene = new Scene({ isSlow, observes })
      const long = `${'x'.repeat(2 * SLICE)}ab`
      await scene.delta('t', long)
      await scene.finish()
      expect(scene.read()).toBe(observes ? long : long.replace('ab', '#'))
      expect(scene.hider.pieces).toEqual([SLICE, SLICE, 2])
    }
  })
})

/** What is left of parts that are one text: what stands for a match is where it begins. */
function leftOf(parts: readonly string[], filters: boolean): string[] {
  const joined = parts.join('')
  const starts: number[] = []
  for (let at = joined.indexOf('ab'); at !== -1; at = joined.indexOf('ab', at + 2)) starts.push(at)
  let place = 0
  return parts.map((part) => {
    let left = ''
    let isRemoved = false
    for (const character of part) {
      const isFirst = starts.includes(place)
      const isFound = isFirst || starts.includes(place - 1)
      if (isFound) isRemoved ||= filters
      if (isFirst && !filters) left += '#'
      else if (!isFound && !isRemoved) left += character
      place++
    }
    return left
  })
}

test('a piece of which nothing changes goes out as it is, at once', () => {
  const { text, queue } = new Scene()
  const chunk: Delta = { type: 'text-delta', id: 't', textDelta: 'xyz' }
  text.start('t')
  expect(text.delta(chunk, 't')).toBe(chunk)
  const empty: Delta = { type: 'text-delta', id: 't', textDelta: '' }
  expect(text.delta(empty, 't')).toBe(empty)
  expect(queue.isEmpty).toBe(true)
})

test('a text that is only looked at as a whole, later, does not go out in pieces', async () => {
  const queue = new ChunkQueue()
  const text = new JoinedText({ queue, open: () => undefined, observes: false, filters: false })
  text.start('t')
  expect(text.delta({ type: 'text-delta', id: 't', textDelta: 'xyz' }, 't')).toEqual([])
  await perform(text.finish())
  expect(queue.take()).toEqual([])
})

test('a part that begins twice is two', async () => {
  const scene = new Scene()
  scene.text.start('t')
  await scene.delta('t', 'x')
  scene.text.start('t')
  await scene.delta('t', 'y')
  await scene.finish()
  expect(scene.hider.seen).toBe('x|y')
  expect(scene.text.parts).toHaveLength(2)
})

test('a part ends alone where it is the only one, and then another may begin', async () => {
  const scene = new Scene()
  scene.text.start('1')
  await scene.delta('1', 'x')
  expect(scene.text.endsAlone('2')).toBe(false)
  expect(scene.text.endsAlone('1')).toBe(true)
  expect(scene.text.endsAlone('1')).toBe(false)
  scene.text.start('1')
  scene.text.start('2')
  expect(scene.text.endsAlone('1')).toBe(false)
  await scene.delta('2', 'z')
  await scene.delta('1', 'y')
  await scene.finish()
  expect(scene.hider.seen).toBe('x|y|z')
})

test('what is found in the middle of a piece that waits is written where it was', async () => {
  const scene = new Scene()
  await scene.delta('1', 'xa')
  await scene.delta('2', 'by')
  await scene.delta('1', 'bz')
  await scene.finish()
  expect([scene.read('1'), scene.read('2')]).toEqual(['x#z', 'by'])
})
