import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // The packages are linked from the root of the workspace. A project of its own needs none of this.
  turbopack: { root: join(import.meta.dirname, '../../../../..') },
}

export default config
