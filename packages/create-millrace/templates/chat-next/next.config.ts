import type { NextConfig } from 'next'

const config: NextConfig = {
  // A page is not put into the frames of others, and what a model writes loads nothing from elsewhere.
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
