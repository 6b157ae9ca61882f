// Styles beside views: Vite bundles them.
declare module '*.css';
