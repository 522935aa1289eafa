// Compares many concurrent streams with a route that pipes the model: memory per stream, and time to the first chunk.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
  },
})
const streams = Number(values.streams)
const rounds = Number(values.rounds)

/** Maximum ratios to the bare route. */
const BUDGETS = { memory: 2, firstChunk: 1.5 }

interface Figures {
  /** Bytes of heap per open stream. */
  memory: number
  /** Milliseconds until the first chunk, of the slowest of a hundred. */
  firstChunk: number
}

const ratios: Figures[] = []
for (let round = 0; round < rounds; round++) {
  const order = round % 2 === 0 ? ['bare', 'millrace'] : ['millrace', 'bare']
  const figures: Record<string, Figures> = {}
  for (const name of order) figures[name] = await measure(name)
  const { bare, millrace } = figures as Record<'bare' | 'millrace', Figures>
  ratios.push({ memory: millrace.memory / bare.memory, firstChunk: millrace.firstChunk / bare.firstChunk })
  console.log(`${shown('bare', bare)}   ${shown('millrace', millrace)}`)
}
for (const [name, budget] of Object.entries(BUDGETS)) {
  const ratio = median(ratios.map((each) => each[name as keyof Figures]))
  const isOver = ratio > budget
  console.log(
    `${isOver ? 'over budget' : 'ok'}  ${name}: ${ratio.toFixed(2)} of ${budget} times the bare route`,
  )
  if (isOver && values.check) process.exitCode = 1
}

async function measure(name: string): Promise<Figures> {
  const child = fork(join(import.meta.dirname, 'contestant.ts'), [name], { execArgv: ['--expose-gc'] })
  try {
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    // Warm-up: loads and compiles the code.
    for (let times = 0; times < 3; times++) await open(port, 100).then(close)
    const before = await bytesOf(child)
    const opened = await open(port, streams)
    const after = await bytesOf(child)
    close(opened)
    const times = opened.map(({ time }) => time).sort((left, right) => left - right)
    return {
      memory: (after - before) / streams,
      firstChunk: times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN,
    }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

interface Opened {
  time: number
  end: () => void
}

/** Opens streams concurrently. Resolves when each has its first chunk of text. */
function open(port: number, count: number): Promise<Opened[]> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  return Promise.all(
    Array.from({ length: count }, (_, index) => openOne({ port, agent, user: `user-${index}` })),
  )
}

function openOne({ port, agent, user }: { port: number; agent: Agent; user: string }): Promise<Opened> {
  const body = JSON.stringify({
    id: crypto.randomUUID(),
    messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  })
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        agent,
        method: 'POST',
        path: '/agents/support/chat',
        headers: { 'content-type': 'application/json', 'content-length': body.length, 'x-user': user },
      },
      (response) => {
        let isFirst = true
        response.on('data', (data: Buffer) => {
          if (!isFirst || !data.includes('A piece')) return
          isFirst = false
          resolve({ time: performance.now() - start, end: () => asked.destroy() })
        })
        // Streams are aborted after the measurement.
        response.on('error', () => {})
        response.on('end', () => reject(new Error(`A stream ended with ${response.statusCode}.`)))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

function close(opened: readonly Opened[]): void {
  for (const { end } of opened) end()
}

async function bytesOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message') as Promise<[{ bytes: number }]>
  child.send('measure')
  return (await answer)[0].bytes
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function shown(name: string, { memory, firstChunk }: Figures): string {
  return `${name}: ${(memory / 1_000).toFixed(1)} kB a stream, first piece ${firstChunk.toFixed(0)} ms`
}
