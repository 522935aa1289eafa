import { Agent, type Message, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { saidByUser } from '../../test/texts.ts'
import { watchStore } from '../../test/watched-store.ts'
import { Memory } from '../memory.ts'

expect.extend(matchers)

const numRuns = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 30
const place = { threadId: 'thread-1', resourceId: 'user-1' }
const weather = tool({ inputSchema: z.object({}), execute: () => 'Rain' })

test.each(['turn', 'step'] as const)(
  "agents that share a thread lose no message, and calls keep their results, with persist: '%s'",
  async (persist) => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 }),
        async (scheduler, agents) => {
          const watched = watchStore()
          watched.wait = () => scheduler.schedule(Promise.resolve())
          const work = agents.map(async (turns, agent) => {
            const memory = new Memory({ storage: watched.storage, persist })
            for (const [turn, usesTool] of turns.entries()) {
              const name = `${agent}.${turn}`
              const model = new ScriptedModel([
                ...(usesTool ? [[toolCall('weather', {}, { id: `call ${name}` })]] : []),
                `answer ${name}`,
              ])
              const result = await new Agent({ model, memory, tools: { weather } }).generate(
                [saidByUser(`question ${name}`, `question ${name}`)],
                place,
              )
              expect(result.warnings).toEqual([])
              for (const { prompt } of model.calls) expect(prompt).toPairEveryToolCall()
            }
          })
          await scheduler.waitFor(Promise.all(work))

          watched.wait = undefined
          const stored = await new Memory({ storage: watched.storage }).getMessages(place)
          const names = agents.flatMap((turns, agent) => turns.map((_, turn) => `${agent}.${turn}`))
          expect(stored).toHaveLength(2 * names.length)
          expect(stored).toPairEveryToolCall()
          for (const [agent, turns] of agents.entries()) {
            const order = stored.map(saidIn).filter((said) => said.includes(` ${agent}.`))
            expect(order).toEqual(
              turns.flatMap((_, turn) => [`question ${agent}.${turn}`, `answer ${agent}.${turn}`]),
            )
          }
        },
      ),
      { numRuns },
    )
  },
)

function saidIn({ content }: Message): string {
  const text = content.parts.findLast(({ type }) => type === 'text')
  return text?.type === 'text' ? text.text : ''
}
