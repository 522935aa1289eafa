// Fuzzing: `pnpm fuzz scanner 10` runs for ten minutes, and mutates inputs that reached new code. A failing input is saved,
// and `pnpm fuzz scanner --input <file>` repeats it. `--keep` adds the found inputs to the corpus in scripts/fuzz/corpus,
// which `pnpm test` runs. `--seed` repeats a search.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { CurrentInput } from './fuzz/current-input.ts'
import type { FuzzFailure, FuzzProgress } from './fuzz/fuzzer.ts'
import { isTargetName, targetNames } from './fuzz/targets.ts'
import type { ThreadData, ThreadMessage } from './fuzz/thread.ts'
import { root } from './published-packages.ts'

/** The timeout of one input in milliseconds. On a busy machine an input may take many times its usual time. */
const TIME_LIMIT = 10_000

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    input: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const [name, minutes = '1'] = positionals

if (
  !isTargetName(name) ||
  positionals.length > 2 ||
  !(Number(minutes) >= 0) ||
  Number.isNaN(Number(values.seed))
) {
  console.error(`Usage: pnpm fuzz <${targetNames.join(' | ')}> [minutes] [--seed n] [--keep] [--input file]`)
  process.exitCode = 2
} else {
  const { input: file, keep, seed } = values
  const only =
    file === undefined ? {} : { only: { stored: JSON.parse(readFileSync(file, 'utf8')) as unknown } }
  console.log(`fuzz ${name}, seed ${seed}`)
  const failure = await runThread({
    name,
    seed: Number(seed),
    milliseconds: Number(minutes) * 60_000,
    keep,
    timeLimit: TIME_LIMIT,
    shared: new SharedArrayBuffer(CurrentInput.bytes),
    ...only,
  })
  if (failure) report(name, failure)
  else console.log(file === undefined ? 'All inputs passed.' : 'The input passes.')
}

/** Resolves with the failure, also if the thread hangs in an input. */
function runThread(data: ThreadData): Promise<FuzzFailure | undefined> {
  const thread = new Worker(new URL('./fuzz/thread.ts', import.meta.url), { workerData: data })
  const current = new CurrentInput(data.shared)
  return new Promise((resolve, reject) => {
    let seen = { count: current.count, at: Date.now() }
    const watch = setInterval(() => {
      const { count } = current
      if (count !== seen.count || count === 0) seen = { count, at: Date.now() }
      else if (Date.now() - seen.at > 2 * TIME_LIMIT) {
        finish({ error: 'The input blocks the event loop.', input: current.read() })
      }
    }, 1_000)
    const finish = (failure: FuzzFailure | undefined): void => {
      clearInterval(watch)
      resolve(failure)
      thread.terminate()
    }
    thread.on('message', (message: ThreadMessage) => {
      if ('progress' in message) printProgress(message.progress)
      else finish(message.end)
    })
    thread.on('error', (error) => {
      clearInterval(watch)
      reject(error)
    })
  })
}

function printProgress({ inputs, milliseconds, blocks, interesting }: FuzzProgress): void {
  const perSecond = Math.round((1_000 * inputs) / milliseconds)
  const seconds = Math.round(milliseconds / 1_000)
  console.log(
    `${seconds} s: ${inputs} inputs (${perSecond}/s), ${blocks} blocks reached, ${interesting} interesting inputs`,
  )
}

function report(target: string, { error, input }: FuzzFailure): void {
  const folder = join(root, 'fuzz-failures')
  const file = join(folder, `${target}-${Date.now()}.json`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(input)}\n`)
  console.error(`${error}\n\nThe input is in ${file}.\nRepeat it with: pnpm fuzz ${target} --input ${file}`)
  process.exitCode = 1
}
