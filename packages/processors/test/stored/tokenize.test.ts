import { Suspend, tool } from '@millrace/core'
import { TURN_MARK } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { collect, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'
import { placesOf } from './surfaces.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const address = 'zqxharbour@wubfjord.example.com'
const needles = ['zqxharbour', 'wubfjord']
const PLACEHOLDER = /\[EMAIL_[0-9a-f]{12}\]/

const tokens = () => new PIIDetector({ redaction: 'tokenize', hashKey: 'a key' })

test.each(placesOf(`Write to ${address} today.`))(
  'the caller gets originals of $name, and none are stored',
  async ({ name, surface, turns, input, output, adds, tools }) => {
    for (const persist of ['turn', 'step'] as const) {
      for (const how of ['generate', 'live', 'step'] as const) {
        const thread = { threadId: `${how} ${persist}`, resourceId: 'ada' }
        const memory = scene.memory({ persist })
        const model = new ScriptedModel(turns)
        const agent = scene.agent({ model, tools, processors: [tokens(), ...(adds ? [adds] : []), memory] })
        const options = { ...thread, ...(output && { output }), ...(how !== 'generate' && { emit: how }) }
        const stream = how === 'generate' ? undefined : agent.stream(input, options)
        const chunks = stream ? await collect(stream.fullStream) : []
        const result = await (stream?.result ?? agent.generate(input, options))
        expect(result).toMatchObject({ status: 'completed', warnings: [] })
        if (surface !== 'input' && surface !== 'history') {
          expect(result, name).not.toLeakNothingOf(address)
          if (stream) expect(chunks, name).not.toLeakNothingOf(address)
        }
        await agent.close()
        const stored = await storedMessages(memory, thread)
        if (surface !== 'history') expect(JSON.stringify(stored)).toMatch(PLACEHOLDER)
        for (const { content } of stored) expect(content.metadata?.[TURN_MARK]).toBeUndefined()
      }
    }
    await scene.expectClean(needles)
  },
)

describe('a suspended run', () => {
  /** Sends mails after an approval, or after an answer with the address. */
  function mailing(waits: 'for approval' | 'in the tool' | 'at the client') {
    const given: unknown[] = []
    const inputSchema = z.object({ to: z.email() })
    const mail = tool({
      inputSchema,
      ...(waits === 'for approval' && { needsApproval: true }),
      ...(waits !== 'at the client' && {
        execute: (input: { to: string }, { resumeData }: { resumeData?: unknown }) => {
          given.push(input.to)
          if (waits === 'in the tool' && resumeData === undefined) throw new Suspend({ may: input.to })
          return { sent: input.to }
        },
      }),
    } as never)
    return { mail, given }
  }

  test.each([
    ['for approval', { approved: true }],
    ['in the tool', 'yes'],
    ['at the client', { sent: address }],
  ] as const)('%s is stored without originals, and continues in another agent', async (waits, answer) => {
    for (const persist of ['turn', 'step'] as const) {
      const thread = { threadId: `${waits} ${persist}`, resourceId: 'ada' }
      const model = new ScriptedModel(({ prompt }, index) => {
        const to = PLACEHOLDER.exec(JSON.stringify(prompt))?.[0] ?? 'nobody'
        return index === 0
          ? [toolCall('mail', { to }, { chunkSize: 4 })]
          : [text(`Sent to ${to}.`, { chunkSize: 3 })]
      })
      const { mail, given } = mailing(waits)
      const detector = tokens()
      const first = scene.agent({ model, tools: { mail }, processors: [detector, scene.memory({ persist })] })
      const waiting = await first.generate(`I am ${address}.`, thread)
      expect(waiting.status).toBe('suspended')
      await scene.settled()

      const memory = scene.memory({ persist })
      const second = scene.agent({ model, tools: { mail }, processors: [detector, memory] })
      const stream = second.resume(waiting.runId, answer, thread)
      const chunks = await collect(stream.fullStream)
      expect((await stream.result).text).toBe(`Sent to ${address}.`)
      expect(chunks).not.toLeakNothingOf(address)
      expect(given).toEqual(
        { 'for approval': [address], 'in the tool': [address, address], 'at the client': [] }[waits],
      )
      await second.close()
      expect(JSON.stringify(await storedMessages(memory, thread))).toMatch(PLACEHOLDER)
      expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf(needles)
    }
    await scene.expectClean(needles)
  })
})

test.each(['extract', 'tool'] as const)(
  'working memory by %s, titles and recall have no originals',
  async (update) => {
    const notes = new ScriptedModel(({ prompt }) => {
      return JSON.stringify({ email: PLACEHOLDER.exec(JSON.stringify(prompt))?.[0] ?? '' })
    })
    const titles = new ScriptedModel(({ prompt }) => PLACEHOLDER.exec(JSON.stringify(prompt))?.[0] ?? 'None')
    const memory = scene.memory({
      workingMemory: { template: 'E-mail: {{email}}', update, model: notes },
      semanticRecall: true,
      generateTitle: { model: titles },
    })
    const model = new ScriptedModel(({ prompt }, index) => {
      const email = PLACEHOLDER.exec(JSON.stringify(prompt))?.[0] ?? 'nobody'
      if (update === 'tool' && index === 0) return [toolCall('updateWorkingMemory', { email })]
      return `You are ${email}.`
    })
    const agent = scene.agent({ model, processors: [tokens(), memory] })
    const first = await agent.generate(`I am ${address}.`, { threadId: 'one', resourceId: 'ada' })
    expect(first.text).toBe(`You are ${address}.`)
    await agent.close()
    expect(await memory.getWorkingMemory({ threadId: 'one', resourceId: 'ada' })).toEqual({
      email: expect.stringMatching(PLACEHOLDER),
    })
    const second = await agent.generate('Who am I, and what is my address?', {
      threadId: 'two',
      resourceId: 'ada',
    })
    expect(second.text).toBe(`You are ${address}.`)
    expect((await memory.getThreads({ resourceId: 'ada' })).items.map(({ title }) => title)).toContainEqual(
      expect.stringMatching(PLACEHOLDER),
    )
    expect([...model.calls, ...notes.calls, ...titles.calls].map(({ prompt }) => prompt)).toLeakNothingOf(
      needles,
    )
    await scene.expectClean(needles)
  },
)
