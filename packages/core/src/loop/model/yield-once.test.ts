import { ScriptedModel } from '@millrace/testing'
import { expect, test, vi } from 'vitest'

test('yields to the event loop between the input of the first run and its model call, and not in later runs', async () => {
  vi.resetModules()
  const { Agent } = await import('../../agent/agent.ts')
  const happened: string[] = []
  class Model extends ScriptedModel {
    override doStream(...args: Parameters<ScriptedModel['doStream']>) {
      happened.push('model')
      return super.doStream(...args)
    }
  }
  const processInput = () => {
    happened.push('input')
    setImmediate(() => happened.push('other work'))
  }
  const agent = new Agent({ model: new Model(['Hi.', 'Hi.']), processors: [{ id: 'due', processInput }] })
  await agent.generate('Hello')
  expect(happened).toEqual(['input', 'other work', 'model'])
  happened.length = 0
  await agent.generate('Hello')
  expect(happened.slice(0, 2)).toEqual(['input', 'model'])
})
