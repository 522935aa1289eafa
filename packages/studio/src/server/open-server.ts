import type { Actions } from '../act/actions.ts'
import { Bench } from '../bench/bench.ts'
import { importJson } from '../export/export-json.ts'
import type { Library } from '../library.ts'
import { MAX_TEXT } from '../record/bounded-copy.ts'
import { VERSION } from '../version.ts'
import type { Info, ProcessorSet } from '../wire.ts'
import { createApp } from './app.ts'
import { type Served, serve } from './serve.ts'

/** Maximum size of a body in bytes: a file of texts, or an exported run. */
const MAX_BODY_BYTES = 32 * 1024 * 1024
const MAX_TABLE_ROWS = 20_000

export interface OpenServerOptions {
  library: Library
  /** `undefined` if only a file is read. */
  actions: Actions | undefined
  processId: string
  port: number
  keepsProcess: boolean
  onError: (error: unknown) => void
  agents?: readonly string[]
  models?: readonly string[]
  processorSets?: readonly ProcessorSet[]
}

/** Serves the page for the recorded runs. */
export function openServer({
  library,
  actions,
  processId,
  port,
  keepsProcess,
  onError,
  agents = [],
  models = [],
  processorSets = [],
}: OpenServerOptions): Promise<Served> {
  const { fileName } = library.store
  const info: Info = {
    version: VERSION,
    mode: actions ? 'process' : 'file',
    ...(fileName !== undefined && { file: fileName }),
    agents: agents.map((name) => ({ name })),
    models: [...models],
    processorSets: [...processorSets],
    limits: { maxText: MAX_TEXT, maxBodyBytes: MAX_BODY_BYTES, maxTableRows: MAX_TABLE_ROWS },
  }
  const bench = new Bench({ maxRows: MAX_TABLE_ROWS })
  const importRun = (exported: unknown): string => {
    const runId = importJson(library.store, processId, exported)
    library.notify(new Set([runId]), [])
    return runId
  }
  return serve((gates) => createApp({ info, library, bench, actions, importRun, onError }, gates), {
    port,
    maxBodyBytes: MAX_BODY_BYTES,
    keepsProcess,
  })
}
