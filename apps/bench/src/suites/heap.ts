import { Agent, type Processor } from '@millrace/core'
import type { Figure, Suite } from '../figure.ts'
import { StreamModel, textAnswer } from '../stream-model.ts'

const STREAMS = 100
const CHUNKS = 2_000

/** What a stream that is being read keeps alive, beyond its text. */
export const heapSuite: Suite = {
  name: 'heap',
  about: 'memory held by streams that have not ended',
  async run() {
    const plain = await heapOf([])
    const watched = await heapOf([{ id: 'passes', processOutputStream: ({ part }) => part }])
    const figures: Figure[] = [
      { name: 'heap of a live stream of 2,000 chunks', value: plain / 1_000, unit: 'kB', budget: 30 },
      {
        name: 'heap of a chunk with a stream processor',
        value: (watched - plain) / CHUNKS,
        unit: 'bytes',
        budget: 150,
      },
    ]
    return { measurements: [], figures }
  },
}

/** Bytes per stream, without its text. */
async function heapOf(processors: Processor[]): Promise<number> {
  // The model's parts are shared by all streams, and so is everything else that is not a stream's own.
  const agent = new Agent({ model: new StreamModel(textAnswer(CHUNKS + 100)), processors })
  await open(agent)
  const before = usedHeap()
  const streams: AsyncIterator<unknown>[] = []
  for (let index = 0; index < STREAMS; index++) streams.push(await open(agent))
  const used = (usedHeap() - before) / STREAMS - CHUNKS * 'word '.length
  for (const stream of streams) await stream.return?.(undefined)
  return used
}

async function open(agent: Agent): Promise<AsyncIterator<unknown>> {
  const reader = agent.stream('Hi').fullStream[Symbol.asyncIterator]()
  for (let chunk = 0; chunk < CHUNKS; chunk++) await reader.next()
  return reader
}

function usedHeap(): number {
  if (!globalThis.gc) throw new Error('The garbage collector is out of reach. Start node with --expose-gc.')
  for (let pass = 0; pass < 4; pass++) globalThis.gc()
  return process.memoryUsage().heapUsed
}
