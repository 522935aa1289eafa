import type { NextConfig } from 'next'

const config: NextConfig = {
  // The page cannot be embedded in other sites, and model output cannot load external resources.
  headers: async () => [
    {
      source: '/:path*',
      headers: [
        { key: 'content-security-policy', value: "img-src 'self' data:; frame-ancestors 'none'" },
        { key: 'x-content-type-options', value: 'nosniff' },
      ],
    },
  ],
}

export default config
