import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Tool } from './tool.ts'
import { copyTool, copyTools, settleTools } from './tool-copies.ts'

class Counter {
  readonly inputSchema = z.object({})
  #count = 0
  get description(): string {
    return `Has counted to ${this.#count}.`
  }
  execute(): number {
    return ++this.#count
  }
}

const weather = tool({
  description: 'The weather',
  metadata: { icon: { name: 'sun' } },
  inputSchema: z.object({}),
  execute: () => 'sunny',
})

describe('a copy of a tool', () => {
  test('calls methods on the tool itself, which may have private fields', () => {
    const counter = new Counter()
    const { description, execute } = copyTool(counter as Tool)
    expect(description).toBe('Has counted to 0.')
    expect(execute?.({}, {} as never)).toBe(1)
    expect(counter.description).toBe('Has counted to 1.')
    expect(copyTool(counter as Tool)).toBeInstanceOf(Counter)
  })

  test('shares the schema, and nothing else', () => {
    const copy = copyTool(weather)
    expect(copy.inputSchema).toBe(weather.inputSchema)
    expect(copy.metadata).toEqual(weather.metadata)
    expect(copy.metadata?.icon).not.toBe(weather.metadata?.icon)
  })
})

describe('tools that a hook has received', () => {
  test('are the original ones if it has only read them', () => {
    const given = { weather, counter: new Counter() as Tool }
    const tools = copyTools(given)
    expect(Object.keys(tools)).toEqual(['weather', 'counter'])
    expect(tools.weather).not.toBe(weather)
    expect({ ...tools }.counter).not.toBe(given.counter)
    expect(Object.getOwnPropertyDescriptor(tools, 'weather')?.value).toBe(tools.weather)
    expect(settleTools(tools)).toBe(given)
    expect(settleTools({ ...tools })).toEqual(given)
    expect(settleTools({ ...tools }).counter).toBe(given.counter)
  })

  test.each<[string, (tools: Record<string, Tool>) => void]>([
    ['a description', ({ weather }) => Object.assign(weather as Tool, { description: 'Other' })],
    ['what it does', ({ weather }) => Object.assign(weather as Tool, { execute: () => 'rain' })],
    ['something nested', ({ weather }) => Object.assign(weather?.metadata?.icon as object, { name: 'rain' })],
    ['a field that is gone', ({ weather }) => void delete (weather as Tool).metadata],
    ['a field that is new', ({ weather }) => Object.assign(weather as Tool, { strict: true })],
  ])('are copies where it has changed them: %s', (_, change) => {
    const given = { weather, other: weather }
    const before = JSON.stringify(given)
    const tools = copyTools(given)
    change(tools)
    const settled = settleTools(tools)
    expect(settled.weather).toBe(tools.weather)
    expect(settled.weather).not.toBe(weather)
    expect(settled.other).toBe(weather)
    expect(JSON.stringify(given)).toBe(before)
  })

  test('may be added and removed', () => {
    const given = { weather }
    const tools = copyTools(given)
    tools.other = weather
    delete tools.weather
    expect(settleTools(tools)).toEqual({ other: weather })
    expect(Object.keys(given)).toEqual(['weather'])
  })
})

describe('in a run', () => {
  const turns = () => [toolCall('weather', {}), toolCall('weather', {}), 'Done.']

  test('a tool that a hook changes in place is changed in that step only', async () => {
    const model = new ScriptedModel([...turns(), ...turns()])
    const rain: Processor = {
      id: 'rain',
      processInputStep: ({ stepNumber, tools: { weather } }) => {
        if (stepNumber === 0 && weather) weather.execute = () => 'rain'
      },
    }
    const agent = new Agent({ model, tools: { weather } })
    const outputs = async (processors: Processor[]) =>
      (await agent.generate('Go.', { processors })).steps.flatMap(({ toolResults }) =>
        toolResults.map((result) => result.status === 'success' && result.output),
      )
    expect(await outputs([rain])).toEqual(['rain', 'sunny'])
    expect(await outputs([])).toEqual(['sunny', 'sunny'])
  })

  test('changes of a hook that fails and is skipped are dropped', async () => {
    const model = new ScriptedModel([...turns()])
    const failing: Processor = {
      id: 'failing',
      onError: 'skip',
      processInputStep: ({ modelSettings, systemMessages, tools }) => {
        modelSettings.temperature = 1
        for (const message of systemMessages) message.content = 'Be rude.'
        delete tools.weather
        throw new Error('Down.')
      },
    }
    const agent = new Agent({ model, tools: { weather }, instructions: 'Be kind.', processors: [failing] })
    expect(await agent.generate('Go.')).toMatchObject({ status: 'completed' })
    expect(model.calls[0]).toMatchObject({
      prompt: [{ content: 'Be kind.' }, {}],
      tools: [{ name: 'weather' }],
    })
    expect(model.calls[0]?.temperature).toBeUndefined()
  })

  test('changes of a hook in place are kept when a later one suspends and the run is resumed', async () => {
    const model = new ScriptedModel(['Done.'])
    const changes: Processor = {
      id: 'changes',
      processInputStep: ({ providerOptions, activeTools }) => {
        Object.assign(providerOptions?.scripted ?? {}, { mode: 'changed' })
        activeTools?.pop()
      },
    }
    const asks: Processor = {
      id: 'asks',
      processInputStep: ({ suspend, resumeData, activeTools }) => {
        activeTools?.pop()
        return resumeData === undefined ? suspend() : undefined
      },
    }
    const agent = new Agent({
      model,
      tools: { weather, other: weather, third: weather },
      activeTools: ['weather', 'other', 'third'],
      providerOptions: { scripted: { mode: 'as given' } },
      processors: [changes, asks],
    })
    const { suspension } = await agent.generate('Go.')
    expect(await suspension?.resume(true)).toMatchObject({ status: 'completed' })
    expect(model.calls[0]).toMatchObject({
      tools: [{ name: 'weather' }],
      providerOptions: { scripted: { mode: 'changed' } },
    })
  })
})
