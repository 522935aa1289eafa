// Shared by every package: tsup looks for its configuration upwards from the package it builds.
import { readFileSync } from 'node:fs'
import type { Options } from 'tsup'

type Entry = string | { '@millrace/source': string }
const manifest: { exports: Record<string, Entry> } = JSON.parse(readFileSync('package.json', 'utf8'))

const config: Options = {
  entry: Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry['@millrace/source']],
  ),
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  // What Node, Bun and Deno bring; where it is used, the package says so.
  external: [/^node:/],
  clean: true,
  // tsup would otherwise turn `node:fs` into `fs`, which Deno and workers do not know.
  removeNodeProtocol: false,
}

export default config
