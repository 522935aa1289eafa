import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: join(import.meta.dirname, 'page'),
  plugins: [react()],
  build: { outDir: join(import.meta.dirname, 'dist'), emptyOutDir: true },
})
