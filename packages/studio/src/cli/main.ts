#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { exportHtml } from '../export/export-html.ts'
import { exportJson } from '../export/export-json.ts'
import { Library } from '../library.ts'
import { RecordStore } from '../record/record-store.ts'
import { openServer } from '../server/open-server.ts'
import { runningLink } from './running-link.ts'
import { watchFile } from './watch-file.ts'

const USAGE = `Usage: millrace-studio [options]

Shows the runs that studio() of @millrace/studio has recorded. If the recording process still runs, prints the link to
its page, on which runs can be resumed and replayed. Otherwise serves the file.

  --file <path>     the file with the records. Default: millrace-studio.db in the current folder
  --port <number>   the port on 127.0.0.1. Default: 0, any free port
  --read            serves the file even if the recording process runs
  --export <run>    writes the run with this id to a file, and exits
  --format <name>   html or json. Default: html
  --out <path>      the file to write. Default: run-<id>.<format>
  --reveal          includes the values that guards found
  --help`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      file: { type: 'string', default: 'millrace-studio.db' },
      port: { type: 'string', default: '0' },
      read: { type: 'boolean', default: false },
      export: { type: 'string' },
      format: { type: 'string', default: 'html' },
      out: { type: 'string' },
      reveal: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return
  }
  const { file } = values
  if (!existsSync(file)) {
    throw new Error(
      `There is no file '${file}'. Run your program with studio({ agents }) in this folder first, or pass the path with --file.`,
    )
  }
  const store = await RecordStore.open(file)
  const library = new Library({ store, prices: undefined, flush: () => {} })
  try {
    if (values.export !== undefined) {
      await exportRun(library, values.export, values)
      return
    }
    const link = values.read ? undefined : await runningLink(store)
    if (link !== undefined) {
      console.log(`The recording process is running. Its page: ${link}`)
      return
    }
    await serveFile(library, portOf(values.port))
  } finally {
    store.close()
  }
}

async function exportRun(
  library: Library,
  runId: string,
  { format, out, reveal }: { format: string; out?: string | undefined; reveal: boolean },
): Promise<void> {
  if (format !== 'html' && format !== 'json') throw new Error(`--format is '${format}'. Use html or json.`)
  const content =
    format === 'html'
      ? exportHtml(await library.detail(runId, { revealed: reveal }))
      : await exportJson(library, runId, { revealed: reveal })
  const path = out ?? `run-${runId.replace(/[^\w-]/g, '')}.${format}`
  writeFileSync(path, content, { mode: 0o600 })
  console.log(`Written to ${path}`)
}

async function serveFile(library: Library, port: number): Promise<void> {
  const server = await openServer({
    library,
    actions: undefined,
    processId: crypto.randomUUID(),
    port,
    keepsProcess: true,
    onError: (error) => console.error(error),
  })
  const stopWatching = watchFile(library)
  console.log(`Reading ${library.store.fileName}. The page is at ${server.url}/#token=${server.token}`)
  const signals = ['SIGINT', 'SIGTERM'] as const
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve())
  })
  stopWatching()
  await server.close()
}

function portOf(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw new Error(`--port is '${value}'. Use a number from 0 to 65535.`)
}

try {
  await main()
} catch (error) {
  console.error(`Error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
