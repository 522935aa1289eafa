// Stored results: the values with machine, versions, date and command.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

export const root: string = join(import.meta.dirname, '../../../..')
const folder = join(root, 'apps/bench/results')

const ResultFile = z.strictObject({
  /** The command that repeats the measurement. */
  command: z.string(),
  /** ISO 8601. */
  date: z.iso.datetime(),
  machine: z.strictObject({
    cpu: z.string(),
    cores: z.number(),
    memoryGB: z.number(),
    os: z.string(),
    /** The mean number of runnable programs over the last minute. If it is above `cores`, times are too long. */
    load: z.number(),
  }),
  versions: z.record(z.string(), z.string()),
  /** Data that is not in this repository. The hash identifies it. */
  data: z
    .array(z.strictObject({ file: z.string(), about: z.string(), licence: z.string(), sha256: z.string() }))
    .optional(),
  values: z.unknown(),
})

export type ResultFile = z.infer<typeof ResultFile>

/** A measurement without the machine. The date is today, unless it was measured before. */
export type Result = Pick<ResultFile, 'command' | 'versions' | 'data' | 'values'> & { date?: Date }

/** @throws Error with the path, if the file does not exist or is not valid */
export function readResult<T>(
  name: string,
  values: z.ZodType<T>,
): Omit<ResultFile, 'values'> & { values: T } {
  const path = join(folder, `${name}.json`)
  try {
    const file = ResultFile.parse(JSON.parse(readFileSync(path, 'utf8')))
    return { ...file, values: values.parse(file.values) }
  } catch (cause) {
    throw new Error(`${path} is not a valid result. Measure it again: pnpm bench --chart ${name}.`, { cause })
  }
}

export function writeResult(name: string, result: Result): void {
  const [{ model = 'unknown' } = {}] = cpus()
  const file: ResultFile = {
    command: result.command,
    date: (result.date ?? new Date()).toISOString(),
    machine: {
      cpu: model.trim(),
      cores: cpus().length,
      memoryGB: Math.round(totalmem() / 1e9),
      os: `${type()} ${release().replace(/-.*/, '')}`,
      load: Number((loadavg()[0] ?? 0).toFixed(1)),
    },
    versions: {
      node: process.versions.node,
      millrace: versionOf('packages/core/package.json'),
      ...result.versions,
    },
    ...(result.data && { data: result.data }),
    values: result.values,
  }
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(file, null, 2)}\n`)
}

export function resultNames(): string[] {
  return readdirSync(folder).map((file) => file.replace(/\.json$/, ''))
}

export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function versionOf(manifest: string): string {
  return (JSON.parse(readFileSync(join(root, manifest), 'utf8')) as { version: string }).version
}
