import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import config, { TESTS } from '../vitest.config.ts'
import { publishedPackages, root } from './published-packages.ts'

/**
 * Stryker works on a copy of the repository whose node_modules link to the original. The aliases resolve imports between
 * packages to the copy.
 */
const alias = publishedPackages.flatMap(({ folder, manifest }) =>
  Object.entries(manifest.exports ?? {}).flatMap(([path, entry]) => {
    const source = (entry as { '@millrace/source'?: string })['@millrace/source']
    return source === undefined
      ? []
      : [{ find: new RegExp(`^${manifest.name}${path.slice(1)}$`), replacement: join(root, folder, source) }]
  }),
)

// Few samples per property, because every mutation runs them.
process.env.MILLRACE_MUTATION = '1'

const { projects: _, ...test } = config.test ?? {}

const mutation: ViteUserConfig = {
  ...config,
  resolve: { ...config.resolve, alias },
  // Without isolation tests are several times as fast. They must not depend on the state of a process.
  test: { ...test, include: TESTS, isolate: false },
}

export default mutation
