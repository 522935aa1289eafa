import { MillraceError } from '@millrace/core'

/** The qualified table names, as used in statements. */
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
  /** A sequence that numbers the changes of threads. */
  changes: string
}

/** @throws MillraceError `CONFIG_INVALID` */
export function tablesIn(schema: string): Tables {
  // The server truncates longer names, and two of them could collide.
  if (schema === '' || schema.includes('\0') || new TextEncoder().encode(schema).length > 63) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `schema is '${schema}'. Use a name of 1 to 63 bytes, such as public.`,
    )
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

/** Quotes any name as an SQL identifier. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
