import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { root } from './published-packages.ts'

/**
 * The layers of a folder, from bottom to top: a file imports only from its own layer and from those below it, types
 * included. A name is a folder, or a file; `*` are all other files. ARCHITECTURE.md says what is in each layer of core.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  // biome-ignore format: a list is read in columns
  'packages/core/src': [
    '*', 'messages', 'tools', 'mcp', 'storage', 'model', 'transcript', 'results', 'processors', 'run', 'events', 'tracing',
    'loop', 'ui', 'agent', 'composition', 'index.ts',
  ],
}

test.each(Object.entries(LAYERS))(
  'imports in %s only from the same layer and from layers below',
  (folder, layers) => {
    const files = globSync(`${folder}/**/*.ts`, { cwd: root }).filter(
      (file) => !/\.test(?:-d)?\.ts$/.test(file),
    )
    const upwards = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => layerOf(relative(folder, imported)) > layerOf(relative(folder, file)))
        .map((imported) => `${file} imports ${imported}`),
    )
    expect(files.length).toBeGreaterThan(0)
    expect(upwards).toEqual([])

    function layerOf(path: string): number {
      const [first = ''] = path.split('/')
      // The loop is called by `loop.ts`, and starts the loop of another agent.
      const name = first === 'loop.ts' ? 'loop' : first
      return layers.includes(name) ? layers.indexOf(name) : layers.indexOf('*')
    }
  },
)

/** The files that a file imports by relative paths, relative to the root. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module
  const specifiers = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
    ...dynamicImports.map(({ moduleRequest }) =>
      source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ]
  return specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(file), specifier))
}
