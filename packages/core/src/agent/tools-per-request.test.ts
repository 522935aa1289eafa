import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { RequestContext } from '../request-context.ts'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'

expect.extend(matchers)

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})
const tides = tool({ inputSchema: z.object({}), execute: () => 'high' })
const call = toolCall('weather', { city: 'Oslo' })

const namesIn = (model: ScriptedModel) => model.calls.map(({ tools = [] }) => tools.map(({ name }) => name))

describe('tools as a function of the request', () => {
  test('are listed once for each run, with its context, and stay the same in all steps', async () => {
    const contexts: (string | undefined)[] = []
    const model = new ScriptedModel([call, 'It rains.'], { repeat: 'last' })
    const agent = new Agent({
      model,
      tools: async ({ resourceId }: RequestContext) => {
        contexts.push(resourceId)
        return resourceId === 'ada' ? { weather } : { weather, tides }
      },
    })
    const { steps } = await agent.generate('Hi', { resourceId: 'ada' })
    expect(steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'rain in Oslo' }])
    await agent.stream('Hi', { resourceId: 'grace' }).result
    expect(contexts).toEqual(['ada', 'grace'])
    expect(namesIn(model)).toEqual([['weather'], ['weather'], ['weather', 'tides']])
  })

  test('belong to one run each, also concurrently', async () => {
    const model = new ScriptedModel(() => 'Done.')
    const agent = new Agent({
      model,
      tools: async ({ resourceId }: RequestContext) => {
        await Promise.resolve()
        return { [`of-${resourceId}`]: tides }
      },
    })
    await Promise.all(['ada', 'grace'].map((resourceId) => agent.generate('Hi', { resourceId })))
    expect(namesIn(model).sort()).toEqual([['of-ada'], ['of-grace']])
  })

  test('are listed again for a run that is resumed', async () => {
    let lists = 0
    const asking = { ...weather, needsApproval: true }
    const agent = new Agent({
      model: new ScriptedModel([call, 'It rains.']),
      tools: () => {
        lists++
        return lists < 3 ? { weather: asking } : {}
      },
    })
    const { suspension } = await agent.generate('Hi')
    const result = await suspension?.resume({ approved: true })
    expect(result).toBeCompleted()
    expect(result?.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'rain in Oslo' }])
    expect(lists).toBe(2)
  })

  test('must contain the tools that a resumed run needs, otherwise it stays resumable', async () => {
    let tools: object = { weather: { ...weather, needsApproval: true } }
    const agent = new Agent({
      model: new ScriptedModel([call, 'It rains.']),
      tools: () => tools as { weather: typeof weather },
    })
    const { suspension, runId } = await agent.generate('Hi')
    tools = { tides }
    await expect(agent.resume(runId, { approved: true })).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
    tools = { weather }
    expect(await suspension?.resume({ approved: true })).toBeCompleted()
  })

  test('that cannot be listed, or are not tools, fail the run', async () => {
    const agentWith = (tools: () => unknown) =>
      new Agent({ model: new ScriptedModel(['Hi.']), tools: tools as () => { weather: typeof weather } })
    const refuses = agentWith(() => Promise.reject(new Error('Down.')))
    await expect(refuses.generate('Hi')).rejects.toMatchObject({ code: 'RUN_FAILED' })
    for (const [tools, message] of [
      [undefined, /tools is of type undefined/],
      [null, /tools is null/],
      [[weather], /tools is an array/],
      [{ weather: {} }, /'weather' has no inputSchema/],
    ] as const) {
      await expect(agentWith(() => tools).generate('Hi')).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(message),
      })
    }
  })

  test('that are being listed do not delay an abort', async () => {
    const controller = new AbortController()
    const agent = new Agent({
      model: new ScriptedModel(['Hi.']),
      tools: () => {
        controller.abort()
        return new Promise<{ weather: typeof weather }>(() => {})
      },
    })
    expect(await agent.generate('Hi', { abortSignal: controller.signal })).toHaveStatus('aborted')
  })

  test('have the types of what is listed', async () => {
    const agent = new Agent({ model: new ScriptedModel(['Hi.']), tools: async () => ({ weather }) })
    const { steps } = await agent.generate('Hi')
    for (const { input, toolName } of steps.flatMap(({ toolCalls }) => toolCalls)) {
      expectTypeOf(toolName).toEqualTypeOf<'weather'>()
      expectTypeOf(input).toEqualTypeOf<{ city: string }>()
    }
  })
})
