import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { ProcessorPipeline } from '../composition/processor-pipeline.ts'
import type { BackgroundErrorEvent } from '../results/agent-events.ts'
import type { Processor } from './processor.ts'

expect.extend(matchers)

function background(work: () => PromiseLike<unknown>): Processor {
  return { id: 'background', processOutputResult: ({ waitUntil }) => waitUntil(work()) }
}

test('close() waits for background work of a hook, and the run does not', async () => {
  const opened = Promise.withResolvers<void>()
  let isDone = false
  const processor = background(async () => {
    await opened.promise
    isDone = true
  })
  const agent = new Agent({ model: new ScriptedModel(['Hello']), processors: [processor] })
  expect(await agent.generate('Hi')).toBeCompleted()
  const closed = agent.close()
  expect(isDone).toBe(false)
  opened.resolve()
  await closed
  expect(isDone).toBe(true)
})

test('close() also waits for work and listeners that start meanwhile', async () => {
  const log: string[] = []
  const agent: Agent = new Agent({
    model: new ScriptedModel(['one', 'two', 'three']),
    processors: [
      {
        id: 'chain',
        processOutputResult: ({ waitUntil, result }) => {
          waitUntil(
            (async () => {
              await Promise.resolve()
              log.push(`after ${result.text}`)
              if (result.text === 'one') await agent.generate('Again')
            })(),
          )
        },
      },
    ],
  })
  agent.on('run-finish', async ({ result }) => {
    if (result.text === 'two') await agent.generate('And again')
  })
  await agent.generate('Hi')
  await agent.close()
  expect(log).toEqual(['after one', 'after two', 'after three'])
})

test('a failure does not change the result, and its event names the hook', async () => {
  const heard: BackgroundErrorEvent[] = []
  const failing = background(() => Promise.reject(new TypeError('No disk.')))
  const agent = new Agent({ name: 'a', model: new ScriptedModel(['Hello']), processors: [failing] })
  agent.on('background-error', (event) => heard.push(event))
  const result = await agent.generate('Hi', { threadId: 't' })
  await agent.close()
  expect(result).toBeCompleted()
  expect(result.warnings).toEqual([])
  expect(result.processors).toMatchObject([{ action: 'passed' }])
  expect(heard).toMatchObject([
    {
      runId: result.runId,
      agentName: 'a',
      threadId: 't',
      processorId: 'background',
      hook: 'processOutputResult',
      error: { name: 'TypeError', message: 'No disk.' },
    },
  ])
})

test('a failure without listeners is not an unhandled rejection, also of a run that failed', async () => {
  const failing: Processor = {
    id: 'failing',
    processInput: ({ waitUntil }) => {
      waitUntil(Promise.reject(new Error('lost')))
      throw new Error('broken')
    },
  }
  const agent = new Agent({ model: new ScriptedModel([]), processors: [failing] })
  await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  await agent.close()
})

test('a pipeline waits too, and rejects with the failure', async () => {
  let done = 0
  const pipeline = new ProcessorPipeline([background(async () => done++)])
  await pipeline.processOutputResult('Hello')
  await pipeline.close()
  expect(done).toBe(1)
  const failing = new ProcessorPipeline([background(() => Promise.reject(new Error('No disk.')))])
  await failing.processOutputResult('Hello')
  await expect(failing.close()).rejects.toMatchObject({
    code: 'PROCESSOR_FAILED',
    cause: { message: 'No disk.' },
  })
})
