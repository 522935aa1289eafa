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

Shows what was recorded by studio() of @millrace/studio. Where the process that records still runs, its own page is
named, in which runs can be answered and replayed; else the file is served.

  --file <path>     the file of the records. Default: millrace-studio.db in this folder
  --port <number>   the port on 127.0.0.1. Default: 0, any that is free
  --read            serves the file, whether or not its process runs
  --export <run>    writes one run instead, by its id
  --format <name>   html or json. Default: html
  --out <path>      where to. Default: run-<id>.<format>
  --reveal          shows the values that guards found in what is written
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
      `There is no file '${file}'. Run your program with studio({ agents }) of @millrace/studio in this folder, or name its file with --file.`,
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
      console.log(`The process that records is running. Its page is at ${link}`)
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
