import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import { FRAMEWORKS } from './frameworks.ts'

const conditions = ['@millrace/source']

const config: ViteUserConfig = {
  plugins: [
    {
      // The sources of the adapters are outside of this folder, where no framework is installed.
      name: 'frameworks-of-this-folder',
      enforce: 'pre',
      resolveId(id, importer, options) {
        if (!FRAMEWORKS.test(id) || importer?.startsWith(import.meta.dirname)) return
        return this.resolve(id, join(import.meta.dirname, 'vitest.config.ts'), { ...options, skipSelf: true })
      },
    },
  ],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ['*.test.ts'], testTimeout: 60_000 },
}

export default config
