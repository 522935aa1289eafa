import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'

const program = fileURLToPath(new URL('./list-loaded-modules.ts', import.meta.url))

let modules: { imported: string[]; added: string[]; generated: string }

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@millrace/source', program])
  modules = JSON.parse(stdout)
})

it('loads no package besides the files of core', () => {
  expect(ownersOf(modules.imported)).toEqual(['@millrace/core'])
})

it('loads nothing but files of core to run an agent with a model object', () => {
  expect(modules.generated).toBe('There is rain in Oslo.')
  const others = modules.added.filter((url) => ownerOf(url) !== '@millrace/core')
  expect(others.map((url) => url.split('/').at(-1))).toEqual(['minimal-agent.ts'])
})

function ownersOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map(ownerOf))].sort()
}

/** The package a module belongs to, or the module itself if it is built in. */
function ownerOf(url: string): string {
  if (!url.startsWith('file:')) return url
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  return name ?? (url.includes('/packages/core/src/') ? '@millrace/core' : url)
}
