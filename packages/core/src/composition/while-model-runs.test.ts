import { collect, gate, refuse, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { userMessage } from '../messages/input.ts'
import type { Processor } from '../processors/processor.ts'
import { tool } from '../tools/tool.ts'
import { whileModelRuns } from './while-model-runs.ts'

expect.extend(matchers)

describe('a check while the model runs', () => {
  test('holds only the first chunk, until it has settled', async () => {
    const afterFirst = gate()
    const model = new ScriptedModel([['Hel', afterFirst, 'lo.']])
    const types: string[] = []
    const check: Processor = {
      id: 'check',
      processInput: async () => {
        // Long enough for the model to have answered.
        for (let turn = 0; turn < 100; turn++) await Promise.resolve()
        types.push('checked')
      },
    }
    const stream = new Agent({ model, processors: [whileModelRuns(check)] }).stream('Hi')
    for await (const { type } of stream.fullStream) {
      types.push(type)
      if (type === 'text-delta') afterFirst.open()
    }
    expect(types.slice(0, 4)).toEqual(['start', 'step-start', 'checked', 'text-start'])
    expect(await stream.result).toBeCompleted()
  })

  test('checks the input before its own output hooks change anything', async () => {
    const order: string[] = []
    const check: Processor = {
      id: 'check',
      processInput: async () => {
        await Promise.resolve()
        order.push('check')
      },
      processInputStep: ({ stepNumber }) => void order.push(`check ${stepNumber}`),
      processOutputStream: ({ part }) => {
        order.push(part.type)
        return part.type === 'step-start' ? [part, { type: 'data-seen', data: order.length }] : part
      },
    }
    const model = new ScriptedModel([toolCall('look'), 'Done.'])
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const agent = new Agent({ model, tools: { look }, processors: [whileModelRuns(check)] })
    const chunks = await collect(agent.stream('Hi').fullStream)
    const isNoted = (name: string) => /^check|step-start|text-start/.test(name)
    expect(order.filter(isNoted)).toEqual([
      ...['check', 'check 0', 'step-start'],
      ...['check 1', 'step-start', 'text-start'],
    ])
    const ofSecond = chunks.slice(chunks.findLastIndex(({ type }) => type === 'step-start'))
    expect(ofSecond.slice(0, 3).map(({ type }) => type)).toEqual(['step-start', 'data-seen', 'text-start'])
  })

  test('runs in parallel with the model: each waits for the other to have started', async () => {
    const atModel = gate()
    const model = new ScriptedModel([[atModel, 'Hello.']])
    const check: Processor = {
      id: 'check',
      processInput: async () => {
        await atModel.reached
        atModel.open()
      },
    }
    const result = await new Agent({ model, processors: [whileModelRuns(check)] }).generate('Hi')
    expect(result).toHaveText('Hello.')
  })

  test('an abort cancels the model call; nothing of the answer was emitted and no tool ran', async () => {
    const ran: string[] = []
    const atModel = gate()
    const model = new ScriptedModel([['Secret. ', toolCall('pay'), atModel, 'More.']])
    const check: Processor = {
      id: 'check',
      processInput: async ({ abort }) => {
        await Promise.resolve()
        abort('No.')
      },
    }
    const agent = new Agent({
      model,
      tools: { pay: tool({ inputSchema: z.object({}), execute: () => ran.push('pay') }) },
      processors: [whileModelRuns(check)],
    })
    const stream = agent.stream('Hi')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toHaveTripped({ processorId: 'check', hook: 'processInput', reason: 'No.' })
    expect(chunks).toLeakNothingOf('Secret')
    expect(ran).toEqual([])
    expect(['aborted', 'cancelled', 'refused']).toContain(await model.lastStream.settled)
  })

  test('a halt replaces the answer and ends the model call', async () => {
    const model = new ScriptedModel([[gate(), 'Hello.']])
    const check: Processor = { id: 'check', processInput: async ({ halt }) => halt('Ask something else.') }
    const result = await new Agent({ model, processors: [whileModelRuns(check)] }).generate('Hi')
    expect(result).toHaveStatus('halted')
    expect(result).toHaveText('Ask something else.')
    expect(['aborted', 'cancelled', 'refused']).toContain(await model.lastStream.settled)
  })

  test('an abort takes precedence over a failure of the model', async () => {
    const model = new ScriptedModel([refuse(new Error('Down.'))])
    const check: Processor = {
      id: 'check',
      processInput: async ({ abort }) => {
        await Promise.resolve()
        abort('No.')
      },
    }
    const agent = new Agent({ model, processors: [whileModelRuns(check)], modelSettings: { maxRetries: 0 } })
    expect(await agent.generate('Hi')).toHaveTripped({ reason: 'No.' })
  })

  test('fails closed, or is skipped with onError skip', async () => {
    const broken: Processor = {
      id: 'broken',
      processInput: async () => {
        throw new Error('broken')
      },
    }
    const ask = (processor: Processor) =>
      new Agent({ model: new ScriptedModel(['Hello.']), processors: [whileModelRuns(processor)] }).generate(
        'Hi',
      )
    await expect(ask(broken)).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    const result = await ask({ ...broken, onError: 'skip' })
    expect(result).toHaveText('Hello.')
    expect(result.warnings).toMatchObject([
      { type: 'processor-skipped', processorId: 'broken', hook: 'processInput' },
    ])
  })

  test('checks the input once and in every step, with what the model was given', async () => {
    const seen: unknown[] = []
    const check: Processor = {
      id: 'check',
      processInput: ({ messages, systemMessages }) => {
        seen.push(['input', messages.length, systemMessages.length])
      },
      processInputStep: ({ messages, systemMessages, stepNumber, model, activeTools, steps }) => {
        seen.push([
          'step',
          stepNumber,
          messages.length,
          systemMessages.length,
          model.modelId,
          activeTools,
          steps.length,
        ])
      },
    }
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.'], { modelId: 'scripted' }),
      instructions: 'Be brief.',
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      processors: [whileModelRuns(check)],
    })
    const { processors } = await agent.generate('Hi')
    expect(seen).toEqual([
      ['input', 1, 1],
      ['step', 0, 1, 1, 'scripted', ['look'], 0],
      ['step', 1, 2, 1, 'scripted', ['look'], 1],
    ])
    expect(processors.map(({ hook }) => hook)).toEqual([
      'wrapModelCall',
      'processInput',
      'processInputStep',
      'wrapModelCall',
      'processInputStep',
    ])
  })

  test('does not check the input again at another attempt', async () => {
    let inputs = 0
    const check: Processor = { id: 'check', processInput: () => void inputs++ }
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ abort, retryCount }) => {
        if (retryCount === 0) abort('Once more.', { retry: true })
      },
    }
    const agent = new Agent({
      model: new ScriptedModel(['First.', 'Second.']),
      processors: [whileModelRuns(check), strict],
    })
    expect(await agent.generate('Hi')).toHaveText('Second.')
    expect(inputs).toBe(1)
  })

  test('may return what it was given; a change is too late and fails the run', async () => {
    const ask = (processInput: NonNullable<Processor['processInput']>) =>
      new Agent({
        model: new ScriptedModel(['Hello.']),
        processors: [whileModelRuns({ id: 'check', processInput })],
      }).generate('Hi')
    expect(await ask(({ messages }) => messages)).toBeCompleted()
    await expect(ask(({ messages }) => [...messages, userMessage('More.')])).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
    })
  })

  test('cannot suspend', async () => {
    const check: Processor = { id: 'check', processInput: ({ suspend }) => suspend() }
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [whileModelRuns(check)] })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  })

  test('keeps its other hooks', async () => {
    const check: Processor = {
      id: 'check',
      processInput: () => {},
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
    }
    const agent = new Agent({ model: new ScriptedModel([text(['ab'])]), processors: [whileModelRuns(check)] })
    expect(await agent.generate('Hi')).toHaveText('AB')
  })
})

test.each([
  ['no input hook', { processOutputResult: () => {} }],
  ['a wrapModelCall of its own', { processInput: () => {}, wrapModelCall: async function* () {} }],
])('refuses a check with %s', (_, hooks) => {
  expect(() => whileModelRuns({ id: 'check', ...hooks } as Processor)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
