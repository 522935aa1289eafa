import { Agent, type Processor } from '@millrace/core'
import type { Figure, Suite } from '../figure.ts'
import { StreamModel, textAnswer } from '../stream-model.ts'

const STREAMS = 100
const CHUNKS = 2_000

/** The memory of a stream that is being read, in addition to its text. */
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
  // All streams share the model's parts and everything else that does not belong to a stream.
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
  if (!globalThis.gc) throw new Error('The garbage collector is not available. Start node with --expose-gc.')
  for (let pass = 0; pass < 4; pass++) globalThis.gc()
  return process.memoryUsage().heapUsed
}
