import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isRecord } from '@millrace/core'
import { readConfig, type ServerConfig } from '../server-config.ts'

/** The names of configuration files, in the order in which they are tried. */
export const CONFIG_FILES = ['millrace.config.ts', 'millrace.config.js', 'millrace.config.mjs'] as const

/**
 * Loads the given configuration file, or the first of `CONFIG_FILES` in the folder. `undefined` if there is
 * none.
 *
 * @throws Error with what is wrong with the file
 */
export async function loadConfig(folder: string, file?: string): Promise<ServerConfig | undefined> {
  const name = file ?? CONFIG_FILES.find((candidate) => existsSync(resolve(folder, candidate)))
  if (name === undefined) return undefined
  const path = resolve(folder, name)
  if (!existsSync(path)) {
    throw new Error(`There is no file '${name}'. Create it, or leave --config out for the demo agent.`)
  }
  const { default: config } = (await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw new Error(`'${name}' cannot be loaded: ${reasonOf(error)}`, { cause: error })
  })) as { default?: unknown }
  if (!isRecord(config)) {
    throw new Error(`'${name}' has no default export. Use: export default defineConfig({ agents: { … } })`)
  }
  return readConfig(`'${name}'`, config)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return (error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION'
    ? 'this Node cannot run TypeScript. Use Node 22.18 or newer, or a .mjs file.'
    : error.message
}
