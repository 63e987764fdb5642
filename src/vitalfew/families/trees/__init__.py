"""Decision trees and stumps."""
