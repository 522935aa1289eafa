import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { chooseModel } from './choose-model.ts'
import { Conversation } from './conversation.ts'
import { demoAgent } from './demo-agent.ts'
import { demoMemory } from './demo-memory.ts'
import type { Pace } from './embedded-model/embedded-model.ts'
import { repl } from './repl.ts'
import { Terminal } from './terminal.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

test('runs until Ctrl-D', async () => {
  const { type, shows, ended } = await talk()
  await shows(/^> $/m)
  type('my name is Ada\r')
  await shows(/Nice to meet you, Ada\.[\s\S]*\n> $/)
  type('what is my name?\r')
  await shows(/Your name is Ada\.[\s\S]*\n> $/)
  type(CTRL_D)
  await ended
})

test('stops an answer on Ctrl-C, and ends on Ctrl-C at the prompt', async () => {
  const { type, shows, ended } = await talk({ pace: firstPieces(5) })
  await shows(/^> $/m)
  type('Tell me a long story.\r')
  await shows(/Once upon/)
  type(CTRL_C)
  await shows(/Stopped \(status aborted\)[\s\S]*\n> $/)
  type(CTRL_C)
  await ended
})

test('retracts an answer on the screen', async () => {
  const { type, shows, raw } = await talk()
  await shows(/^> $/m)
  type('Tell me a long story.\r')
  await shows(/— retracted: .* —\nA mill lost/)
  // 675 characters are nine rows of 80: the cursor moves eight up, and everything below is cleared.
  expect(raw()).toContain('\u001b[1G\u001b[8A\u001b[0J')
  type(CTRL_D)
})

test('buffers lines that are typed during an answer, and shows them later', async () => {
  const { type, shows, ended, raw } = await talk()
  await shows(/^> $/m)
  type('hello\rmy name is Ada\r/exit\r')
  await ended
  expect(stripVTControlCharacters(raw())).toMatch(
    /> hello[\s\S]*Hello![\s\S]*\n> my name is Ada\nNice to meet you, Ada/,
  )
})

/** Emits so many pieces of an answer, then waits until the call is aborted. */
function firstPieces(count: number): Pace {
  let passed = 0
  return (signal) =>
    passed++ < count
      ? Promise.resolve()
      : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

async function talk({ pace }: { pace?: Pace } = {}) {
  const input = new PassThrough()
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 80, rows: 40 })
  let text = ''
  output.on('data', (data) => {
    text += data
  })
  const chosen = await chooseModel({}, pace ? { pace } : {})
  const memory = demoMemory(':memory:')
  const conversation = new Conversation({ agent: demoAgent(chosen.model, memory), memory, threadId: 'test' })
  const session = { conversation, chosen, terminal: new Terminal(output) }
  return {
    ended: repl(session, { input, output }),
    type: (keys: string) => input.write(keys),
    raw: () => text,
    async shows(pattern: RegExp): Promise<void> {
      while (!pattern.test(plain(text))) await setImmediate()
    },
  }
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r', '')
}
