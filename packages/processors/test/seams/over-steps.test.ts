import type { Message, Processor } from '@millrace/core'
import { type ScriptPart, type TurnContent, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placesFor, runsOf } from '../runs.ts'
import { SEAM_GUARDS } from './guards.ts'
import { cutAt, play, playToClient } from './play.ts'

expect.extend(matchers)

const runs = runsOf(5, 300)

/** One step for each piece: all but the last continue with a call. */
function steps(pieces: readonly string[]): TurnContent[] {
  return pieces.map((piece, index): ScriptPart[] => {
    const said = piece === '' ? [] : [text([piece])]
    return index < pieces.length - 1 ? [...said, toolCall('look')] : said
  })
}

/** A past message, as a memory adds it. */
function remembers(...said: readonly string[]): Processor {
  const messages = said.map((each, index): Message => {
    const content = { parts: [{ type: 'text' as const, text: each }] }
    return { id: `old-${index}`, role: 'assistant', content, createdAt: new Date(0) }
  })
  return {
    id: 'memory',
    processInput: ({ messageList }) => {
      messageList.add(structuredClone(messages), 'remembered')
      return messageList
    },
  }
}

const texts = (messages: readonly Message[]) =>
  messages
    .flatMap(({ content }) => content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('')

describe.each(SEAM_GUARDS.filter(({ outbound }) => outbound))(
  '$name',
  ({ name, value, make, isJudge = false, inbound }) => {
    const said = `Well, it is ${value}. So it goes.`
    const start = said.indexOf(value)

    test.each(['redact', 'filter', 'block', 'halt'] as const)(
      'with %s, keeps no complete value if it is cut over two steps at any position',
      async (strategy) => {
        const guard = make({ strategy })
        for (const at of placesFor(strategy, said)) {
          const played = await play(guard, { turns: steps([said.slice(0, at), said.slice(at)]) })
          expect(played.all).toLeakNothingOf(value)
          const { result } = played
          expect(result.status).toBe({ block: 'tripwire', halt: 'halted' }[strategy as string] ?? 'completed')
          const parts = result.steps.map((step) => step.text).join('')
          expect(parts).not.toContain(value)
          expect(texts(result.messages)).not.toContain(value)
          expect(played.prompts.map((prompt) => JSON.stringify(prompt)).join('')).not.toContain(value)
          expect(played.streamed).not.toContain(value)
        }
      },
    )

    test('removes what an earlier step began from the transcript, and tells the reader', async () => {
      if (isJudge || name === 'SystemPromptScrubber') return
      const at = start + Math.floor(value.length / 2)
      const { result, chunks, prompts } = await play(make({ strategy: 'redact' }), {
        turns: [...steps([said.slice(0, at), said.slice(at), 'Bye.'])],
      })
      expect(result.steps.map((step) => step.text)).toEqual([
        'Well, it is ',
        '[REDACTED]. So it goes.',
        'Bye.',
      ])
      expect(texts(result.messages)).toBe('Well, it is [REDACTED]. So it goes.Bye.')
      expect(chunks.map(({ type }) => type)).toContain('response-replaced')
      // The next step does not see it either.
      expect(JSON.stringify(prompts[2])).not.toContain(said.slice(start, at))
    })

    test('with one character per step, keeps no complete value', async () => {
      const turns = steps([...said])
      for (const strategy of ['redact', 'block'] as const) {
        const played = await play(make({ strategy }), { turns, maxSteps: said.length + 1 })
        expect(played.all).toLeakNothingOf(value)
        expect(played.result.steps.map((step) => step.text).join('')).not.toContain(value)
        expect(played.result.status).toBe(strategy === 'block' ? 'tripwire' : 'completed')
      }
    })

    test('cut into any number of steps, keeps no complete value', async () => {
      const places = fc.array(fc.nat(said.length), { minLength: 1, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(places, async (places) => {
          const pieces = cutAt(said, places).filter((piece) => piece !== '')
          const played = await play(make({ strategy: 'redact' }), { turns: steps(pieces), maxSteps: 9 })
          expect(played.all).toLeakNothingOf(value)
          expect(played.result.steps.map((step) => step.text).join('')).not.toContain(value)
        }),
        { numRuns: runs },
      )
    })

    test('keeps no complete value that a remembered answer begins and this one ends', async () => {
      if (!inbound) return
      for (let at = start + 1; at < start + value.length; at += 3) {
        const others = [remembers(said.slice(0, at))]
        for (const strategy of ['redact', 'block', 'halt', 'filter'] as const) {
          const played = await play(make({ strategy }), { turns: [[text([said.slice(at)])]], others })
          expect(played.all).toLeakNothingOf(value)
          // A judge of windows changes only the text that completes the value.
          const isCut = !isJudge && (strategy === 'redact' || strategy === 'filter') && at > start + 3
          // Without ids, which may contain the same digits.
          const stored = JSON.stringify(played.stored, (key, each) => (key === 'id' ? undefined : each))
          if (isCut) expect(stored).not.toContain(said.slice(start, at))
          if (strategy === 'block') expect(played.result.status).toBe('tripwire')
        }
      }
    })

    test('a chat client has no complete value, cut over blocks and over steps', async () => {
      for (let at = start + 1; at < start + value.length; at += 4) {
        const pieces = [said.slice(0, at), said.slice(at)]
        for (const turns of [[pieces.map((piece) => text([piece]))], steps(pieces)]) {
          const message = await playToClient(make({ strategy: 'redact' }), turns)
          expect(message?.parts.length).toBeGreaterThan(0)
          expect(message).toLeakNothingOf(value)
          expect(texts([{ content: message } as unknown as Message])).not.toContain(value)
        }
      }
    })

    test('does not join two separate values', async () => {
      const turns = steps(['The river is long.', 'It rises in May.', 'So it goes.'])
      const played = await play(make({ strategy: 'block' }), { turns, others: [remembers('Hello there.')] })
      expect(played.result.steps.map((step) => step.text)).toEqual([
        'The river is long.',
        'It rises in May.',
        'So it goes.',
      ])
      expect(played.chunks.map(({ type }) => type)).not.toContain('response-replaced')
    })
  },
)
