import { Agent } from '@millrace/core'
import { ScriptedModel, testProcessor } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { MessageLimit } from './index.ts'

const create = (): MessageLimit => new MessageLimit({ maxCharacters: 20 })

// What every processor must do: nothing is mixed between runs, however texts are cut.
testProcessor('MessageLimit', { create, texts: ['Good morning.', 'A message that is far too long.'] })

describe('MessageLimit', () => {
  test('lets short messages pass', async () => {
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [create()] })
    expect((await agent.generate('Good morning.')).text).toBe('Hello.')
  })

  test('blocks long ones before the model is asked, and says why', async () => {
    const model = new ScriptedModel(['Hello.'])
    const agent = new Agent({ model, processors: [create()] })
    const { rejection } = await agent.generate('A message that is far too long.')
    expect(rejection?.reason).toBe('The message has 31 characters; 20 are allowed.')
    expect(model.calls).toEqual([])
  })

  test('refuses a limit that is none', () => {
    expect(() => new MessageLimit({ maxCharacters: 0 })).toThrow('maxCharacters is 0')
  })
})
