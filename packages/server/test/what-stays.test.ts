import type { Processor } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory, TURN_MARK } from '@millrace/memory'
import { fail, gate, ScriptedModel } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { chatRequest, request, scene } from './scene.ts'

type Persist = 'turn' | 'step'

/** The messages of the thread after one turn: the role and the mark of each. */
async function stays({
  model,
  persist,
  processors = [],
  stop = false,
}: {
  model: ScriptedModel
  persist: Persist
  processors?: Processor[]
  stop?: boolean
}): Promise<(string | undefined)[][]> {
  const memory = new Memory({ storage: new InMemoryStore(), persist })
  const { handler } = scene({ model, processors }, { memory })
  const reader = ((await handler(chatRequest('Hi'))).body as ReadableStream<Uint8Array>).getReader()
  let isStopped = !stop
  let read = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    read += new TextDecoder().decode(part.value)
    if (isStopped || !read.includes('Hello')) continue
    await handler(request('/agents/support/chat/thread-1/stop', { method: 'POST' }))
    isStopped = true
  }
  await handler.close()
  const messages = await memory.getMessages({ threadId: 'thread-1', resourceId: 'ada' })
  return messages.map(({ role, content }) => [role, content.metadata?.[TURN_MARK] as string | undefined])
}

const atInput: Processor = { id: 'input', processInput: ({ abort }) => abort('No.') }
const atOutput: Processor = { id: 'output', processOutputStep: ({ abort }) => abort('No.') }
const broken = () => new ScriptedModel([['Hello ', fail(new Error('down'))]])
const down = () => new ScriptedModel([[fail(new Error('down'))]])
const waiting = () => new ScriptedModel([['Hello ', gate(), 'Ada']])
const marked = (mark: string) => [
  ['user', mark],
  ['assistant', mark],
]

describe('the thread keeps', () => {
  test.each([
    [
      'both messages of a completed turn',
      'turn',
      { model: new ScriptedModel(['Hello']) },
      [
        ['user', undefined],
        ['assistant', undefined],
      ],
    ],
    [
      'both messages of a completed turn',
      'step',
      { model: new ScriptedModel(['Hello']) },
      [
        ['user', undefined],
        ['assistant', undefined],
      ],
    ],
    [
      'nothing of a message that is blocked',
      'turn',
      { model: new ScriptedModel([]), processors: [atInput] },
      [],
    ],
    [
      'nothing of a message that is blocked',
      'step',
      { model: new ScriptedModel([]), processors: [atInput] },
      [],
    ],
    [
      'nothing of an answer that is blocked',
      'turn',
      { model: new ScriptedModel(['Bad']), processors: [atOutput] },
      [],
    ],
    [
      'nothing of an answer that is blocked',
      'step',
      { model: new ScriptedModel(['Bad']), processors: [atOutput] },
      [],
    ],
    ['the emitted part of a turn that fails', 'turn', { model: broken() }, marked('failed')],
    ['the emitted part of a turn that fails', 'step', { model: broken() }, marked('failed')],
    ['nothing of a turn that fails before anything is emitted', 'turn', { model: down() }, []],
    [
      'the message whose answer fails before anything is emitted',
      'step',
      { model: down() },
      [['user', 'open']],
    ],
    [
      'the emitted part of a turn that is stopped',
      'turn',
      { model: waiting(), stop: true },
      marked('stopped'),
    ],
    [
      'the emitted part of a turn that is stopped',
      'step',
      { model: waiting(), stop: true },
      marked('stopped'),
    ],
    [
      'nothing of a stopped answer that a guard retracts',
      'turn',
      { model: waiting(), processors: [atOutput], stop: true },
      [],
    ],
  ] as const)('%s (persist: %s)', async (_, persist, turn, expected) => {
    expect(await stays({ persist, ...turn } as Parameters<typeof stays>[0])).toEqual(expected)
  })
})
