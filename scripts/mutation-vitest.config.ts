import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import config, { TESTS } from '../vitest.config.ts'
import { publishedPackages, root } from './published-packages.ts'

/**
 * Stryker works on a copy of the repository whose node_modules lead to the original: what packages import of one another
 * must be looked for in the copy too.
 */
const alias = publishedPackages.flatMap(({ folder, manifest }) =>
  Object.entries(manifest.exports ?? {}).flatMap(([path, entry]) => {
    const source = (entry as { '@millrace/source'?: string })['@millrace/source']
    return source === undefined
      ? []
      : [{ find: new RegExp(`^${manifest.name}${path.slice(1)}$`), replacement: join(root, folder, source) }]
  }),
)

// Few examples of each property: what every change of a line would have to wait for.
process.env.MILLRACE_MUTATION = '1'

const { projects: _, ...test } = config.test ?? {}

const mutation: ViteUserConfig = {
  ...config,
  resolve: { ...config.resolve, alias },
  // Several times as fast without. The tests of a module must not depend on what a process has done before.
  test: { ...test, include: TESTS, isolate: false },
}

export default mutation
