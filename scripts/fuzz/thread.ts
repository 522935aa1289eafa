// Runs inputs in a worker thread, so that a hanging input can be terminated and reported.
import { parentPort, workerData } from 'node:worker_threads'
import { CurrentInput } from './current-input.ts'
import { type FuzzFailure, type FuzzOptions, type FuzzProgress, fuzz } from './fuzzer.ts'

export interface ThreadData extends Omit<FuzzOptions, 'onInput' | 'onProgress'> {
  readonly shared: SharedArrayBuffer
}

export type ThreadMessage = { progress: FuzzProgress } | { end: FuzzFailure | undefined }

const { shared, ...options } = workerData as ThreadData
const current = new CurrentInput(shared)
let reportedAt = Date.now()
const end = await fuzz({
  ...options,
  onInput: (input) => current.write(input),
  onProgress: (progress) => {
    if (Date.now() - reportedAt < 5_000) return
    reportedAt = Date.now()
    send({ progress })
  },
})
send({ end })
process.exit()

function send(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}
