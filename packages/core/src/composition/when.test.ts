import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { HOOK_NAMES } from '../hook-name.ts'
import type { Processor } from '../processors/processor.ts'
import { RequestContext } from '../request-context.ts'
import { tool } from '../tools/tool.ts'
import { when } from './when.ts'

expect.extend(matchers)

const shouts: Processor<'shouts'> = {
  id: 'shouts',
  processOutputStream: ({ part }) =>
    part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
}

const stops: Processor<'stops'> = { id: 'stops', processInput: ({ abort }) => abort('No.') }

function ask(processors: Processor[], requestContext?: RequestContext<{ plan: string }>) {
  const model = new ScriptedModel([text(['ab', 'cd'])])
  return new Agent({ model, processors }).generate('Hi', { ...(requestContext && { requestContext }) })
}

describe('a condition', () => {
  test('decides by the request whether a processor runs', async () => {
    const onFreePlan = when(({ requestContext }) => requestContext.get('plan') === 'free', stops)
    expect(await ask([onFreePlan], new RequestContext({ plan: 'free' }))).toHaveTripped({
      processorId: 'stops',
      hook: 'processInput',
    })
    expect(await ask([onFreePlan], new RequestContext({ plan: 'paid' }))).toBeCompleted()
  })

  test.each([
    ['at once', () => true],
    ['with a promise', async () => true],
  ])('may answer %s', async (_, condition) => {
    expect(await ask([when(condition, shouts)])).toHaveText('ABCD')
  })

  test.each([
    ['at once', () => false],
    ['with a promise', async () => false],
  ])('lets everything pass unchanged where it is false: %s', async (_, condition) => {
    const never = () => {
      throw new Error('The processor took part.')
    }
    const all = Object.fromEntries(HOOK_NAMES.map((hook) => [hook, never]))
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      processors: [when(condition, { id: 'all', ...all } as Processor)],
    })
    const result = await agent.generate('Hi')
    expect(result).toBeCompleted()
    expect(result).toHaveText('Done.')
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'seen' }])
  })

  test('is evaluated for every call, and once for the chunks of a step', async () => {
    const asked: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), text(['a', 'b', 'c'])]),
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      processors: [
        when(
          ({ hook, stepNumber, messages }) => {
            asked.push([hook, stepNumber, messages?.length])
            return true
          },
          { ...shouts, processInputStep: () => {}, processDelivery: ({ part, result }) => part ?? result },
        ),
      ],
    })
    await agent.generate('Hi')
    expect(asked).toEqual([
      ['processInputStep', 0, 1],
      ['processOutputStream', 0, undefined],
      ['processDelivery', undefined, undefined],
      ['processInputStep', 1, 2],
      ['processOutputStream', 1, undefined],
    ])
  })

  test('fails the run if it throws', async () => {
    const broken = when(() => {
      throw new Error('broken')
    }, stops)
    await expect(ask([broken])).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    const skipped = when(
      () => {
        throw new Error('broken')
      },
      { ...stops, onError: 'skip' },
    )
    expect(await ask([skipped])).toBeCompleted()
  })

  test("keeps the processor's state, and its position when the run is resumed", async () => {
    const asks: Processor = {
      id: 'asks',
      processInput: ({ state, suspend, resumeData }) => {
        if (resumeData === undefined) {
          state.asked = true
          suspend('Sure?')
        }
      },
      processOutputResult: ({ state, messageList }) => {
        messageList.get('response')[0]?.content.parts.push({ type: 'data-asked', data: state.asked })
      },
    }
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [when(() => true, asks)] })
    const result = await agent.generate('Hi')
    expect(result).toHaveStatus('suspended')
    const resumed = await result.suspension?.resume('yes')
    expect(resumed?.messages[0]?.content.parts.at(-1)).toEqual({ type: 'data-asked', data: true })
  })

  test.each([undefined, 'no', 'yes'])(
    'receives the answer %j if the condition is no longer true',
    async (data) => {
      let paid = 0
      const asks: Processor = {
        id: 'asks',
        processToolCall: async ({ state, suspend, resumeData }) => {
          if (!state.asked) {
            state.asked = true
            suspend('Pay?')
          }
          return resumeData === 'yes' ? undefined : { deny: 'No.' }
        },
      }
      const isStrict = ({ requestContext }: Parameters<Parameters<typeof when>[0]>[0]) =>
        requestContext.get('strict') === true
      const agent = new Agent({
        model: new ScriptedModel([toolCall('pay', {}), [toolCall('pay', {})], 'Done.']),
        tools: { pay: tool({ inputSchema: z.object({}), execute: () => ++paid }) },
        processors: [when(() => true, when(isStrict, asks))],
      })
      const requestContext = new RequestContext({ strict: true })
      const { suspension } = await agent.generate('Pay', { requestContext })
      const { steps } = await agent.resume(suspension?.runId ?? '', data)
      // The first call is answered; the second is nobody's concern any more.
      expect(steps.map(({ toolResults }) => toolResults[0]?.status)).toEqual([
        data === 'yes' ? 'success' : 'denied',
        'success',
        undefined,
      ])
      expect(paid).toBe(data === 'yes' ? 2 : 1)
    },
  )
})

test('calls methods on their own processor', async () => {
  class Adds {
    readonly id = 'adds'
    readonly ending = '!'
    processOutputStream({ part }: Parameters<NonNullable<Processor['processOutputStream']>>[0]) {
      return part.type === 'text-delta' ? { ...part, textDelta: part.textDelta + this.ending } : part
    }
  }
  expect(await ask([when(() => true, new Adds())])).toHaveText('ab!cd!')
})

test('has the id, the name and only the hooks of its processor', () => {
  expect(Object.keys(when(() => true, { ...stops, name: 'Stops' }))).toEqual(['id', 'name', 'processInput'])
  expect(when(() => true, stops).id).toBe('stops')
})

test.each([
  ['no condition', undefined, stops, 'CONFIG_INVALID'],
  ['no hook', () => true, { id: 'idle' }, 'CONFIG_HOOK_MISSING'],
])('refuses %s', (_, condition, processor, code) => {
  expect(() => when(condition as never, processor)).toThrow(expect.objectContaining({ code }))
})
