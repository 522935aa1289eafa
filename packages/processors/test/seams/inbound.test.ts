import type { Message, Processor } from '@millrace/core'
import { tool } from '@millrace/core'
import { toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runsOf } from '../runs.ts'
import { SEAM_GUARDS } from './guards.ts'
import { cutAt, play } from './play.ts'

expect.extend(matchers)

const runs = runsOf(5, 300)

function message(id: string, pieces: readonly string[], role: 'user' | 'assistant' = 'user'): Message {
  const parts = pieces.map((text) => ({ type: 'text' as const, text }))
  return { id, role, content: { parts }, createdAt: new Date(0) }
}

function remembers(...messages: readonly Message[]): Processor {
  return {
    id: 'memory',
    processInput: ({ messageList }) => {
      messageList.add(structuredClone(messages), 'remembered')
      return messageList
    },
  }
}

/** The user's messages in the prompt, joined. */
function saidIn(prompts: readonly unknown[]): string {
  const texts: string[] = []
  JSON.stringify(prompts, (key, value: unknown) => {
    if ((key === 'text' || key === 'content') && typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('')
}

describe.each(SEAM_GUARDS.filter(({ inbound }) => inbound))(
  '$name',
  ({ name, value, make, isJudge = false }) => {
    const said = name === 'PromptInjectionDetector' ? value : `Well, it is ${value}. So it goes.`
    const start = said.indexOf(value)
    const inner = Array.from({ length: value.length - 1 }, (_, index) => start + index + 1)
    const ended = { block: 'tripwire', halt: 'halted' } as const

    describe.each(['redact', 'filter', 'block', 'halt'] as const)('with %s', (strategy) => {
      const status = (ended as Record<string, string>)[strategy] ?? 'completed'
      const others = strategy === 'filter' ? [{ id: 'more', processInput: more }] : []

      test('finds a value over the parts of a message, and in one of them', async () => {
        const places = fc.array(fc.nat(said.length), { maxLength: 6 })
        const guard = make({ strategy })
        await fc.assert(
          fc.asyncProperty(places, async (places) => {
            const input = [message('m', cutAt(said, places))]
            const played = await play(guard, { turns: ['ok'], input, others })
            expect(played.result.status).toBe(status)
            expect(played.all).toLeakNothingOf(value)
            expect(saidIn(played.prompts)).not.toContain(value)
          }),
          { numRuns: runs },
        )
        const each = await play(guard, { turns: ['ok'], input: [message('m', [...said])], others })
        expect(each.result.status).toBe(status)
        expect(each.all).toLeakNothingOf(value)
        const alone = await play(guard, { turns: ['ok'], input: [message('m', ['x', value, 'y'])], others })
        expect(alone.result.status).toBe(status)
        expect(alone.all).toLeakNothingOf(value)
      })

      test('finds a value over several messages of a user', async () => {
        const guard = make({ strategy })
        for (const at of inner.filter((_, index) => index % 3 === 0)) {
          const pieces = [said.slice(0, at), said.slice(at)]
          const input = pieces.map((piece, index) => message(`m${index}`, [piece]))
          const played = await play(guard, { turns: ['ok'], input, others })
          expect(played.result.status).toBe(status)
          expect(played.all).toLeakNothingOf(value)
          expect(saidIn(played.prompts)).not.toContain(value)
          const [first, second] = input as [Message, Message]
          const later = await play(guard, {
            turns: ['ok'],
            input: [second],
            others: [remembers(first), ...others],
          })
          // The first half of an attack may itself be an attack, which is left out.
          if (name !== 'PromptInjectionDetector') expect(later.result.status).toBe(status)
          expect(saidIn(later.prompts)).not.toContain(value)
          if (name !== 'PromptInjectionDetector') expect(saidIn(later.stored)).not.toContain(value)
        }
      })

      test('finds a value over remembered messages, with other messages in between', async () => {
        const guard = make({ strategy })
        for (const at of inner.filter((_, index) => index % 4 === 0)) {
          for (const role of ['user', 'assistant'] as const) {
            const other = role === 'user' ? 'assistant' : 'user'
            const past = [
              message('a', [said.slice(0, at)], role),
              message('b', ['I see.'], other),
              message('c', [said.slice(at)], role),
              message('d', ['So.'], other),
            ]
            const played = await play(guard, { turns: ['ok'], others: [remembers(...past), ...others] })
            expect(played.result.status).toBe('completed')
            expect(saidIn(played.prompts).replace('I see.', '')).not.toContain(value)
          }
        }
      })

      test('finds a value over the items of a list in a tool output', async () => {
        const guard = make({ strategy })
        for (const at of inner.filter((_, index) => index % 4 === 0)) {
          const pieces = [said.slice(0, at), said.slice(at)]
          const outputs = [pieces, { content: pieces.map((piece) => ({ type: 'text', text: piece })) }]
          for (const output of outputs) {
            const look = tool({ inputSchema: z.any(), execute: () => output })
            const played = await play(guard, { turns: [[toolCall('look')], 'ok'], tools: { look } })
            expect(played.result.status).toBe(status)
            expect(played.all).toLeakNothingOf(value)
          }
        }
      })
    })

    test('does not change harmless messages, however they are cut', async () => {
      const guard = make({ strategy: 'redact' })
      const pieces = fc.array(fc.constantFrom('The river ', 'rises', ' in May. ', 'So', '-', '\n', '🙂'), {
        maxLength: 6,
      })
      await fc.assert(
        fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 4 }), async (all) => {
          const input = all.map((each, index) => message(`m${index}`, ['Hello. ', ...each]))
          const { result, stored } = await play(guard, { turns: ['ok'], input: structuredClone(input) })
          expect(result.status).toBe('completed')
          const [[messages]] = stored as [[Message[]]]
          expect(messages.slice(0, input.length)).toEqual(input)
        }),
        { numRuns: runs },
      )
    })

    test('with one character per message, keeps no complete value', async () => {
      const input = [...said].map((character, index) => message(`m${index}`, [character]))
      for (const strategy of ['redact', 'block'] as const) {
        const played = await play(make({ strategy }), { turns: ['ok'], input: structuredClone(input) })
        expect(saidIn(played.prompts)).not.toContain(value)
        expect(saidIn(played.stored)).not.toContain(value)
        if (strategy === 'block') expect(played.result.status).toBe('tripwire')
      }
      expect(isJudge).toBeTypeOf('boolean')
    })
  },
)

/** A message that stays if all others are left out. */
const more: NonNullable<Processor['processInput']> = ({ messageList }) => {
  messageList.add(message('more', ['Hello.']), 'context')
  return messageList
}
