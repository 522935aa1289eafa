import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // The packages are linked from the workspace root. Your own project does not need this.
  turbopack: { root: join(import.meta.dirname, '../../../../..') },
}

export default config
