#!/usr/bin/env node
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { applyCodemod, TRANSFORMS } from '../codemod.ts'

const USAGE = `Usage: millrace-codemod <codemod> [paths] [options]

Changes TypeScript and JavaScript files in place. Paths are files and folders; default: this folder.

${TRANSFORMS.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join('\n')}

  --dry-run   changes nothing, only prints what would change
  --help

Commit first, and review the changes.`

function main(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
  })
  const [transform, ...paths] = positionals
  if (values.help || transform === undefined) return void console.log(USAGE)
  let changed = 0
  for (const file of filesOf(paths.length === 0 ? ['.'] : paths)) {
    const before = readFileSync(file, 'utf8')
    const { code, notes } = applyCodemod(transform, { file, code: before })
    if (code !== before) {
      changed++
      console.log(`${values['dry-run'] ? 'Would change' : 'Changed'} ${file}`)
      if (!values['dry-run']) writeFileSync(file, code)
    }
    for (const { line, text } of notes) console.log(`${file}:${line}: ${text}`)
  }
  console.log(
    `${changed} ${changed === 1 ? 'file' : 'files'} ${values['dry-run'] ? 'to change' : 'changed'}.`,
  )
}

/** @throws Error if a path does not exist */
function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path]
    return globSync('**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}', {
      cwd: path,
      exclude: (name) => ['node_modules', 'dist', '.git'].includes(name.replace(/^.*[\\/]/, '')),
    })
      .filter((file) => !/\.d\.[cm]?ts$/.test(file))
      .sort()
      .map((file) => join(path, file))
  })
}

try {
  main()
} catch (error) {
  console.error(`Error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
