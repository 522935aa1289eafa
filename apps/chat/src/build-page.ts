import { join } from 'node:path'
import { build } from 'vite'

/** Builds the page into `dist`, in a second or two. */
export async function buildPage(): Promise<void> {
  await build({ configFile: join(import.meta.dirname, '../vite.config.ts'), logLevel: 'warn' })
}
