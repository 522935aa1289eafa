import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, '../dist/page'),
    emptyOutDir: true,
    // Nothing is inlined as a data URL: the content security policy names files alone.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    // What the licences of the libraries in the page ask for.
    license: { fileName: 'third-party.md' },
  },
})
