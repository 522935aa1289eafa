import { MillraceError } from '@millrace/core'

/** The names of the tables as they stand in statements. */
export interface Tables {
  schema: string
  version: string
  threads: string
  messages: string
  vectors: string
  models: string
  resources: string
  runs: string
  runCalls: string
  streams: string
  streamChunks: string
  blobs: string
  counters: string
  keys: string
  /** A sequence: numbers the changes of threads. */
  changes: string
}

/** @throws MillraceError `CONFIG_INVALID` */
export function tablesIn(schema: string): Tables {
  // Longer names are cut by the server, to one that may be another's.
  if (schema === '' || schema.includes('\0') || new TextEncoder().encode(schema).length > 63) {
    throw new MillraceError('CONFIG_INVALID', 'schema must be a name of 1 to 63 bytes, such as public.')
  }
  const name = (table: string): string => `${quote(schema)}.millrace_${table}`
  return {
    schema: quote(schema),
    version: name('schema'),
    threads: name('threads'),
    messages: name('messages'),
    vectors: name('vectors'),
    models: name('vector_models'),
    resources: name('resources'),
    runs: name('runs'),
    runCalls: name('run_calls'),
    streams: name('streams'),
    streamChunks: name('stream_chunks'),
    blobs: name('blobs'),
    counters: name('counters'),
    keys: name('keys'),
    changes: name('changes'),
  }
}

/** A name as an identifier of SQL, whatever is in it. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
