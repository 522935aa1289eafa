// The plan's edge cases, under its names: see docs/tests-of-the-plan.md for what each is adapted to.
import { Agent, type Processor } from '@millrace/core'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { ScriptedModel } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { Memory } from '../src/index.ts'
import { INJECTION } from './said.ts'
import { watchStore } from './watched-store.ts'

describe('Memory Processor Edge Cases', () => {
  test('TripWire in input processor prevents memory access', async () => {
    const { storage, calls } = watchStore()
    const memory = new Memory({ storage })
    const agent = new Agent({
      model: new ScriptedModel(['Never said']),
      inputProcessors: [new PromptInjectionDetector({ strategy: 'block' }), ...memory.getInputProcessors()],
    })
    const result = await agent.generate(INJECTION)
    expect(result.tripwire).toBe(true)
    expect(calls).toEqual([])
  })

  test('Error in output processor prevents memory corruption', async () => {
    class FaultyProcessor implements Processor {
      readonly id = 'faulty'

      async processOutputResult(): Promise<never> {
        throw new Error('Processing failed')
      }
    }

    const memory = new Memory({})
    const agent = new Agent({
      model: new ScriptedModel(['Said']),
      outputProcessors: [new FaultyProcessor(), ...memory.getOutputProcessors()],
    })
    await expect(agent.generate('Test')).rejects.toThrow()
    // Of the answer, nothing is stored.
    expect((await memory.getMessages()).map(({ role }) => role)).toEqual(['user'])
  })
})
